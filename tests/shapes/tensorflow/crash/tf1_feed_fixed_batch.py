# tensorflow 1: ValueError: Cannot feed value of shape (10000, 784) for Tensor 'Placeholder:0', which has shape '(100, 784)'
import numpy as np
import tensorflow as tf

batch_size = 100
x = tf.placeholder(tf.float32, shape=(batch_size, 784))  # fixed: x = tf.placeholder(tf.float32, shape=(None, 784))
W = tf.Variable(tf.random_normal([784, 10]))
pred = tf.nn.softmax(tf.matmul(x, W))
X_train = np.random.rand(60000, 784)
X_test = np.random.rand(10000, 784)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(600):
        sess.run(pred, {x: X_train[i * batch_size:(i + 1) * batch_size]})
    print(sess.run(pred, {x: X_test}))  # expect: DP613
