import tensorflow as tf

a = tf.zeros([3])
b = tf.zeros([4])
print(a == b)
tf.experimental.numpy.experimental_enable_numpy_behavior()
c = tf.constant([1, 2]) + tf.constant([0.5, 1.5])
