# tensorflow 1: dimensions must be equal, but are 10 and 12
import tensorflow as tf


def cnn_model_fn(features, labels, mode):
    input_layer = tf.reshape(features["x"], [-1, 28, 28, 1])
    conv1 = tf.layers.conv2d(inputs=input_layer, filters=32, kernel_size=[5, 5], padding="same", activation=tf.nn.relu)
    pool1 = tf.layers.max_pooling2d(inputs=conv1, pool_size=[2, 2], strides=2)
    conv2 = tf.layers.conv2d(inputs=pool1, filters=64, kernel_size=[5, 5], padding="same", activation=tf.nn.relu)
    pool2 = tf.layers.max_pooling2d(inputs=conv2, pool_size=[2, 2], strides=2)
    dense = tf.layers.dense(inputs=pool2, units=1024, activation=tf.nn.relu)
    logits = tf.layers.dense(inputs=dense, units=10)
    w = tf.get_variable("w", [12, 5])
    return tf.matmul(tf.reshape(logits, [-1, 10]), w)  # expect: DP602  # fixed: return tf.matmul(tf.reshape(logits, [-1, 12]), w)
