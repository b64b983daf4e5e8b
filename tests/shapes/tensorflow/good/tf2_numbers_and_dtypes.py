import numpy as np
import tensorflow as tf

x = tf.constant([1, 2, 3])
y = x * 2 + 1
z = x / 2
w = tf.cast(x, tf.float32) * 0.5
v = tf.pow(2.0, w)
u = 1.0 - tf.cast(x, tf.float32)
m = tf.reduce_mean(tf.constant([1.0, 2.0])) * np.float32(3.0)
n = tf.maximum(w, 0)
p = tf.clip_by_value(w, 0.0, 1.0)
q = tf.where(x > 1, x, tf.zeros_like(x))
r = tf.where(x > 1, 1, 0)
s = tf.concat([x, [4, 5]], axis=0)
t = tf.stack([x, [4, 5, 6]])
k = tf.reshape(s, (-1,))
o = tf.range(0.0, 1.0, 0.1) * w[0]
assert tf.reduce_all(x > 0)
