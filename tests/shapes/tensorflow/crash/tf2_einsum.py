# tensorflow 2: InvalidArgumentError: Expected dimension 64 at axis 3 of the input shaped [2,8,10,32] but got dimension 32 [Op:Einsum]
import tensorflow as tf

q = tf.random.normal((2, 8, 10, 64))
k = tf.random.normal((2, 8, 10, 32))  # fixed: k = tf.random.normal((2, 8, 10, 64))
scores = tf.einsum("bhqd,bhkd->bhqk", q, k)  # expect: DP602
