import numpy as np
import tensorflow as tf

STEPS = 400
BATCH = 64

x = tf.placeholder(tf.float32, [None, 20])
y = tf.placeholder(tf.int64, [None])
logits = tf.layers.dense(x, 5)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
inputs = np.random.rand(STEPS, BATCH, 20)
labels = np.random.randint(5, size=(STEPS, BATCH))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        feed = {x: inputs[step], y: labels[step]}
        sess.run(train_op, feed)
        correct = tf.equal(tf.argmax(logits, 1), y)
        accuracy = sess.run(tf.reduce_mean(tf.cast(correct, tf.float32)), feed)

result = STEPS
