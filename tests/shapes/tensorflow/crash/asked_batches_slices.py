# ValueError: Cannot feed value of shape (50, 4) for Tensor 'X:0', which has shape '(?, 3)'
import numpy as np
import tensorflow as tf
import pandas as pd

data = pd.read_csv('iris.csv')
x_all = data[['sl', 'sw', 'pl', 'pw']].values
y_all = pd.get_dummies(data['species']).values
X = tf.placeholder(tf.float32, [None, 3], name='X')  # fixed: X = tf.placeholder(tf.float32, [None, 4], name='X')
Y = tf.placeholder(tf.float32, [None, 3], name='Y')
logits = tf.layers.dense(X, 3)
loss = tf.losses.softmax_cross_entropy(Y, logits)
opt = tf.train.AdamOptimizer().minimize(loss)
batch_size = 50
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(10):
        for i in range(len(x_all) // batch_size):
            bx = x_all[i * batch_size:(i + 1) * batch_size]
            by = y_all[i * batch_size:(i + 1) * batch_size]
            _, l = sess.run([opt, loss], feed_dict={X: bx, Y: by})  # expect: DP613
