# tensorflow 2: InvalidArgumentError: Can not squeeze dim[1], expected a dimension of 1, got 3 [Op:Squeeze]
import tensorflow as tf

probs = tf.nn.softmax(tf.random.normal([8, 3]))
p = tf.squeeze(probs, axis=1)  # expect: DP604 or DP603  # fixed: p = tf.squeeze(probs[:, :1], axis=1)
