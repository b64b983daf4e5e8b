# tensorflow 2: InvalidArgumentError: required broadcastable shapes [Op:AddV2]
import tensorflow as tf

scores = tf.random.normal([16, 12])
bias = tf.random.normal([16])
out = scores + bias  # expect: DP602  # fixed: out = scores + bias[:, None]
