# ValueError: Cannot feed value of shape (64, 784) for Tensor 'Placeholder:0', which has shape '(?, 28, 28)'
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets('/tmp/data/', one_hot=True)
X = tf.placeholder(tf.float32, [None, 28, 28])
Y = tf.placeholder(tf.float32, [None, 10])
flat = tf.reshape(X, [-1, 784])
logits = tf.layers.dense(flat, 10)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
train = tf.train.AdamOptimizer(1e-3).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(100):
        batch_x, batch_y = mnist.train.next_batch(64)
        #+ batch_x = batch_x.reshape((64, 28, 28))
        sess.run(train, feed_dict={X: batch_x, Y: batch_y})  # expect: DP613
