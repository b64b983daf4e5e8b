# InvalidArgumentError: Incompatible shapes: [100,5] vs. [100]
import tensorflow as tf
x = tf.random.uniform((100, 5))
n = tf.norm(x, axis=1)
u = x / n  # expect: DP602 # fixed: u = x / tf.expand_dims(n, 1)
