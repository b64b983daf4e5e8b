# InvalidArgumentError: logits and labels must be same size: logits_size=[50,10] labels_size=[50,2]
import numpy as np
import tensorflow as tf

X = tf.placeholder(tf.float32, [None, 20])
Y = tf.placeholder(tf.float32, [None, 2])
hidden = tf.layers.dense(X, 64, activation=tf.nn.relu)
logits = tf.layers.dense(hidden, 10)  # fixed: logits = tf.layers.dense(hidden, 2)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=Y))  # expect: DP605
train_op = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {X: np.zeros((50, 20)), Y: np.zeros((50, 2))})
