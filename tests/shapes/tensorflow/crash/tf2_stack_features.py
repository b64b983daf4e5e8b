# tensorflow 2: InvalidArgumentError: Shapes of all inputs must match: values[0].shape = [32,16] != values[1].shape = [32,8] [Op:Pack]
import tensorflow as tf

dense_a = tf.keras.layers.Dense(16)
dense_b = tf.keras.layers.Dense(8)
x = tf.random.normal((32, 4))
h = tf.stack([dense_a(x), dense_b(x)], axis=1)  # expect: DP602  # fixed: h = tf.concat([dense_a(x), dense_b(x)], axis=1)
