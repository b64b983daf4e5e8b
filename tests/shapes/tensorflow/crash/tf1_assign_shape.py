# tensorflow 1: ValueError: Dimension 1 in both shapes must be equal, but are 4 and 3. Shapes are [2,4] and [2,3].
import tensorflow as tf

state = tf.Variable(tf.zeros([2, 4]))
update = tf.assign(state, tf.ones([2, 3]))  # expect: DP602  # fixed: update = tf.assign(state, tf.ones([2, 4]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(update)
