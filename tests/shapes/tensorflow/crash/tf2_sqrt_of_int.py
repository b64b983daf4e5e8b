# tensorflow 2: InvalidArgumentError: Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, float, double, complex64, complex128 [Op:Sqrt]
import tensorflow as tf

x = tf.random.normal((2, 8, 64))
depth = tf.shape(x)[-1]
scale = tf.math.sqrt(depth)  # expect: DP607  # fixed: scale = tf.math.sqrt(tf.cast(depth, tf.float32))
