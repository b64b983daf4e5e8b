# tensorflow: matmul takes tensors of one dtype, but gets float64 and float32: TensorFlow does not promote
import numpy as np
import tensorflow as tf

train_x = np.random.rand(100, 3)
train_y = np.random.rand(100, 1)
x = tf.constant(train_x)  # fixed: x = tf.constant(train_x, dtype=tf.float32)
y = tf.constant(train_y)  # fixed: y = tf.constant(train_y, dtype=tf.float32)
w = tf.Variable(tf.random_normal([3, 1]))
b = tf.Variable(tf.zeros([1]))
pred = tf.matmul(x, w) + b  # expect: DP607
loss = tf.reduce_mean(tf.square(pred - y))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for i in range(50):
        s.run(train)
