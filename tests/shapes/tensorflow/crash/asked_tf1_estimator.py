# ValueError: Shape of labels [None, 1] and logits [None, 3]: Rank mismatch
import numpy as np
import tensorflow as tf

def model_fn(features, labels, mode):
    net = tf.layers.dense(features['x'], 10, activation=tf.nn.relu)
    logits = tf.layers.dense(net, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    return tf.estimator.EstimatorSpec(mode, loss=loss)

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.int64, [None, 3])  # fixed: y = tf.placeholder(tf.int64, [None])
loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=tf.layers.dense(x, 3))  # expect: DP605
