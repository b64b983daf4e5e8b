# tensorflow 2: InvalidArgumentError: ConcatOp : Ranks of all input tensors should match: shape[0] = [4,8] vs. shape[1] = [4]
import tensorflow as tf

embedding = tf.random.normal([4, 8])
age = tf.constant([0.2, 0.5, 0.1, 0.9])
joined = tf.concat([embedding, age], axis=1)  # expect: DP602 or DP604  # fixed: joined = tf.concat([embedding, tf.expand_dims(age, 1)], axis=1)
