import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
scaled = x * np.array([1.0, 2.0, 3.0]) + np.ones(3)
shifted = tf.add(x, np.zeros((3,)))
ids = tf.one_hot(np.ones(4) * 2, 5)
steps = tf.Variable(0, trainable=False)
rate = 0.1 / (1.0 + tf.cast(steps, tf.float32))
half = tf.constant(10) / 2
