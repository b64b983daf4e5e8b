# tensorflow 1: ValueError: Cannot feed value of shape (20, 5) for Tensor 'in:0', which has shape '(?, 6)'
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
inp = tf.placeholder(tf.float32, (None, 6), name="in")
hidden = tf.layers.dense(inp, 12, activation=tf.nn.tanh)
out = tf.reduce_mean(hidden)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(out.eval(feed_dict={inp: np.ones((20, 5))}))  # expect: DP613  # fixed: print(out.eval(feed_dict={inp: np.ones((20, 6))}))
