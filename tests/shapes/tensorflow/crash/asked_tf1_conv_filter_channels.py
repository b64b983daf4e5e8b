# ValueError: Dimensions must be equal, but are 1 and 3 for 'Conv2D'
import tensorflow as tf

images = tf.placeholder(tf.float32, [None, 64, 64, 1])
with tf.variable_scope('conv1'):
    kernel = tf.get_variable('w', [5, 5, 3, 24], initializer=tf.truncated_normal_initializer(stddev=0.05))  # fixed: kernel = tf.get_variable('w', [5, 5, 1, 24], initializer=tf.truncated_normal_initializer(stddev=0.05))
    conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding='SAME')  # expect: DP601 or DP602
    biases = tf.get_variable('b', [24], initializer=tf.constant_initializer(0.0))
    conv1 = tf.nn.relu(tf.nn.bias_add(conv, biases))
