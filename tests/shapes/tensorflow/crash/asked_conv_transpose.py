# ValueError: Dimensions must be equal, but are 64 and 32
import tensorflow as tf
x = tf.placeholder(tf.float32, [8, 7, 7, 64])
k = tf.get_variable('k', [5, 5, 16, 32])  # fixed: k = tf.get_variable('k', [5, 5, 16, 64])
y = tf.nn.conv2d_transpose(x, k, output_shape=[8, 14, 14, 16], strides=[1, 2, 2, 1])  # expect: DP601 or DP602
