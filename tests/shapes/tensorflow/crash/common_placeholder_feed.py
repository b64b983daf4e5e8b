# tensorflow: feed_dict gives [5, 28, 28] to a placeholder of [N, 784]
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 784])
y = tf.matmul(x, tf.zeros([784, 10]))
with tf.Session() as s:
    print(s.run(y, feed_dict={x: np.zeros((5, 28, 28))}))  # expect: DP613  # fixed: print(s.run(y, feed_dict={x: np.zeros((5, 784))}))
