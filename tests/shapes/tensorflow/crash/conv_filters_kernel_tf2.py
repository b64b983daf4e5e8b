# tensorflow: conv2d with filters of [3, 3, 1, 1] takes 1 of the 3 channels of [1, 64, 64, 3] in each of 3 groups, and 1 outputs cannot be divided among these
import tensorflow as tf

image = tf.random.normal([1, 64, 64, 3])
kernel = tf.constant([[-1., 0., 1.], [-2., 0., 2.], [-1., 0., 1.]])
kernel = tf.reshape(kernel, [3, 3, 1, 1])  # fixed: kernel = tf.tile(tf.reshape(kernel, [3, 3, 1, 1]), [1, 1, 3, 1])
edges = tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding='SAME')  # expect: DP601
print(edges.shape)
