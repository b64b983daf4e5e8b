# ValueError: Dimensions must be equal, but are 4096 and 3136 for 'MatMul'
import tensorflow as tf

def fc_layer(bottom, name, out):
    with tf.variable_scope(name):
        shape = bottom.get_shape().as_list()
        dim = 1
        for d in shape[1:]:
            dim *= d
        x = tf.reshape(bottom, [-1, dim])
        w = tf.get_variable('w', [3136, out])  # fixed: w = tf.get_variable('w', [dim, out])
        return tf.matmul(x, w)  # expect: DP602

inp = tf.placeholder(tf.float32, [None, 8, 8, 64])
out = fc_layer(inp, 'fc6', 512)
