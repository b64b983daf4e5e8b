import tensorflow as tf


def dense(x, units):
    n = x.get_shape().as_list()[-1]
    w = tf.get_variable("w", [n, units])
    return tf.matmul(x, w)


def flatten(x):
    shape = x.get_shape().as_list()
    size = 1
    for dim in shape[1:]:
        size *= dim
    return tf.reshape(x, [-1, size])


images = tf.placeholder(tf.float32, [None, 28, 28, 3])
batch = tf.shape(images)[0]
logits = dense(flatten(images), 10)
tiled = tf.tile(tf.zeros([1, 10]), [batch, 1])
out = tf.concat([logits, tiled], axis=1)
if images.shape[0] is None:
    pieces = tf.split(out, 4, axis=1)
