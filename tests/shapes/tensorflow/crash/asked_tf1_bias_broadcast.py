# ValueError: Dimensions must be equal, but are 100 and 10 for 'add'
import tensorflow as tf

def layer(inp, n_in, n_out):
    w = tf.Variable(tf.truncated_normal((n_in, n_out)))
    b = tf.Variable(tf.zeros(n_in))  # fixed: b = tf.Variable(tf.zeros(n_out))
    return tf.matmul(inp, w) + b  # expect: DP602

x = tf.placeholder(tf.float32, (None, 100))
h = layer(x, 100, 10)
