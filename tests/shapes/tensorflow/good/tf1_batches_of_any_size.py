import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 10], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
training = tf.placeholder_with_default(False, shape=[])
h = tf.layers.dense(x, 16, activation=tf.nn.relu)
h = tf.layers.dropout(h, 0.5, training=training)
pred = tf.squeeze(tf.layers.dense(h, 1), axis=1)
loss = tf.reduce_mean((pred - y) ** 2)
step = tf.Variable(0, trainable=False, dtype=tf.int64)
lr = tf.train.exponential_decay(0.1, step, 100, 0.9)
train = tf.train.GradientDescentOptimizer(lr).minimize(loss, global_step=step)
data = np.random.rand(105, 11)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(0, len(data), 20):
        batch = data[start:start + 20]
        _, l = sess.run([train, loss], {x: batch[:, :-1], y: batch[:, -1], training: True})
    p = sess.run(pred, {x: data[:3, :10]})
    sess.run(pred, {x: [data[0, :10]]})
    sess.run(pred, {x: data[0, :10][np.newaxis]})
