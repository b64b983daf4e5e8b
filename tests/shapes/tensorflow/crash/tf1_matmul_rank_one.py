# tensorflow 1: ValueError: Shape must be rank 2 but is rank 1 for 'MatMul' with input shapes: [3], [3,2].
import tensorflow as tf

v = tf.constant([1.0, 2.0, 3.0])  # fixed: v = tf.constant([[1.0, 2.0, 3.0]])
m = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
p = tf.matmul(v, m)  # expect: DP604 or DP602
with tf.Session() as sess:
    print(sess.run(p))
