# ValueError: Dimension 1 in both shapes must be equal, but are 10 and 12
import tensorflow as tf

a = tf.placeholder(tf.float32, [None, 10])
b = tf.placeholder(tf.float32, [None, 12])
merged = tf.concat([a, b], 0)  # expect: DP602 # fixed: merged = tf.concat([a, b], 1)
out = tf.layers.dense(merged, 4)
