# ValueError: Cannot feed value of shape (20, 1) for Tensor 'Placeholder:0', which has shape '(1, 20)'
import numpy as np
import tensorflow as tf

trX = np.linspace(-1, 1, 20).reshape(20, 1)
trY = 2 * trX + np.random.randn(*trX.shape) * 0.33
X = tf.placeholder(tf.float32, shape=(1, 20))  # fixed: X = tf.placeholder(tf.float32, shape=(20, 1))
Y = tf.placeholder(tf.float32)
w = tf.Variable(0.0, name='weights')
cost = tf.square(Y - X * w)
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    sess.run(train_op, feed_dict={X: trX, Y: trY})  # expect: DP613
