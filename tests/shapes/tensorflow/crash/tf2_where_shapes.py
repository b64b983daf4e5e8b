# tensorflow 2: InvalidArgumentError: condition [4], then [4,3], and else [4,2] must be broadcastable [Op:SelectV2]
import tensorflow as tf

mask = tf.constant([[True], [False], [True], [True]])
a = tf.ones([4, 3])
b = tf.zeros([4, 2])  # fixed: b = tf.zeros([4, 3])
c = tf.where(mask, a, b)  # expect: DP602
