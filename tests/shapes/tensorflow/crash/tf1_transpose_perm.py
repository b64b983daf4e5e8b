# tensorflow 1: ValueError: Dimension must be 3 but is 2 for 'transpose' with input shapes: [8,28,28], [2].
import tensorflow as tf

images = tf.zeros([8, 28, 28])
t = tf.transpose(images, [1, 0])  # expect: DP604  # fixed: t = tf.transpose(images, [1, 0, 2])
