import numpy as np
import tensorflow as tf

STEPS = 500

x = tf.placeholder(tf.float32, [None, 10])
weights = tf.get_variable("weights", [10, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
data = np.random.rand(64, 10)
best = np.inf
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        candidate = np.random.randn(10, 1)
        sess.run(weights.assign(candidate))
        best = min(best, sess.run(loss, {x: data}))

result = STEPS
