import numpy as np
import tensorflow as tf

SAMPLES = 200000

signal = np.random.default_rng(0).normal(size=SAMPLES)
clipped = np.zeros(SAMPLES)
for i in range(SAMPLES):
    if signal[i] > 0:
        clipped[i] = signal[i] * 2
    else:
        clipped[i] = signal[i] / 2

with tf.Session() as sess:
    mean = sess.run(tf.reduce_mean(tf.constant(clipped)))

result = float(mean)
