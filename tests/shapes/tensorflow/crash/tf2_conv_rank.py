# tensorflow 2: InvalidArgumentError: input must be 4-dimensional [28,28,3] [Op:Conv2D]
import tensorflow as tf

image = tf.random.uniform([28, 28, 3])
kernel = tf.random.normal([3, 3, 3, 16])
out = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")  # expect: DP604  # fixed: out = tf.nn.conv2d(image[tf.newaxis], kernel, strides=1, padding="SAME")
