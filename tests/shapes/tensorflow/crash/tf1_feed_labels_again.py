# tensorflow: feed_dict gives [150] to a placeholder of [N, 3]
import tensorflow as tf
import numpy as np

n_classes = 3
X = tf.placeholder(tf.float32, shape=[None, 4])
Y = tf.placeholder(tf.float32, shape=[None, n_classes])
w = tf.Variable(tf.random_normal([4, n_classes]))
b = tf.Variable(tf.random_normal([n_classes]))
logits = tf.add(tf.matmul(X, w), b)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
opt = tf.train.AdamOptimizer(0.01).minimize(cost)

data = np.random.rand(150, 4)
target = np.random.randint(0, n_classes, 150)
#+ target = np.eye(n_classes)[target]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(10):
        _, c = sess.run([opt, cost], feed_dict={X: data, Y: target})  # expect: DP613
        print(epoch, c)
