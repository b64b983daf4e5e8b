# InvalidArgumentError: cannot compute AddV2 as input #1 was expected to be a double tensor but is a float tensor
import numpy as np
import tensorflow as tf

X = tf.constant(np.random.randn(50, 3))  # fixed: X = tf.constant(np.random.randn(50, 3), dtype=tf.float32)
W = tf.Variable(tf.random.uniform((3, 1)))
b = tf.Variable(tf.zeros((1,)))
for step in range(100):
    with tf.GradientTape() as tape:
        pred = tf.matmul(X, W) + b  # expect: DP607
        loss = tf.reduce_mean(tf.square(pred))
