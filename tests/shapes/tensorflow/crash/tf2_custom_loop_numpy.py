# tensorflow 2: InvalidArgumentError: cannot compute MatMul as input #1(zero-based) was expected to be a double tensor but is a float tensor
import numpy as np
import tensorflow as tf

x = np.random.rand(64, 10)  # fixed: x = np.random.rand(64, 10).astype(np.float32)
y = np.random.rand(64, 1).astype(np.float32)
w = tf.Variable(tf.random.normal((10, 1)))
for _ in range(10):
    with tf.GradientTape() as tape:
        pred = tf.matmul(x, w)  # expect: DP607
        loss = tf.reduce_mean((pred - y) ** 2)
    grad = tape.gradient(loss, w)
    w.assign_sub(0.1 * grad)
