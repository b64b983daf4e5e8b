# tensorflow: sparse_softmax_cross_entropy_with_logits takes one class index for each row of logits, but gets labels [64, 1] for logits [64, 10]
import tensorflow as tf

images = tf.placeholder(tf.float32, [64, 32, 32, 3])
labels = tf.placeholder(tf.int32, [64, 1])  # fixed: labels = tf.placeholder(tf.int32, [64])
net = tf.layers.conv2d(images, 32, 3, activation=tf.nn.relu)
net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.contrib.layers.flatten(net)
logits = tf.layers.dense(net, 10)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))  # expect: DP605
