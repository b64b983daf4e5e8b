import tensorflow as tf


def get_shape_list(tensor):
    shape = tensor.shape.as_list()
    dynamic = tf.shape(tensor)
    return [dynamic[i] if s is None else s for i, s in enumerate(shape)]


def split_heads(x, heads):
    b, t, d = get_shape_list(x)
    return tf.transpose(tf.reshape(x, [b, t, heads, d // heads]), [0, 2, 1, 3])


def merge_heads(x):
    b, h, t, d = get_shape_list(x)
    return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [b, t, h * d])


ids = tf.placeholder(tf.int32, [None, None])
table = tf.get_variable("table", [100, 64])
x = tf.gather(table, ids)
q = split_heads(x, 4)
s = tf.matmul(q, q, transpose_b=True)
n = tf.shape(s)[-1]
mask = tf.matrix_band_part(tf.ones([n, n]), -1, 0)
s = s * mask - 1e10 * (1 - mask)
y = merge_heads(tf.matmul(tf.nn.softmax(s), q))
out = tf.matmul(tf.reshape(y, [-1, 64]), table, transpose_b=True)
out = tf.reshape(out, tf.concat([tf.shape(ids), [100]], 0))
