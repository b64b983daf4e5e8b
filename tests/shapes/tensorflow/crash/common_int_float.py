# tensorflow: * takes tensors of one dtype, but gets int32 and float32: TensorFlow does not promote
import tensorflow as tf
a = tf.range(5)
b = tf.constant([0.5, 1.0, 1.5, 2.0, 2.5])
print(a * b)  # expect: DP607  # fixed: print(tf.cast(a, tf.float32) * b)
