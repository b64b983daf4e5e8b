# ValueError: Dimensions must be equal, but are 10 and 20 for 'MatMul_1'
import tensorflow as tf
import numpy as np

def add_layer(inputs, in_size, out_size, n_layer, activation_function=None):
    with tf.name_scope('layer%s' % n_layer):
        W = tf.Variable(tf.random_normal([in_size, out_size]), name='W')
        b = tf.Variable(tf.zeros([1, out_size]) + 0.1, name='b')
        z = tf.add(tf.matmul(inputs, W), b)  # expect: DP602
        if activation_function is None:
            return z
        return activation_function(z)

x_data = np.linspace(-1, 1, 300, dtype=np.float32)[:, np.newaxis]
xs = tf.placeholder(tf.float32, [None, 1])
l1 = add_layer(xs, 1, 10, 1, activation_function=tf.nn.relu)
pred = add_layer(l1, 20, 1, 2)  # fixed: pred = add_layer(l1, 10, 1, 2)
