# TypeError: Input 'b' of 'MatMul' Op has type float32 that does not match type int32 of argument 'a'.
import tensorflow as tf

ids = tf.placeholder(tf.int32, shape=(None, 50))
#+ ids_f = tf.cast(ids, tf.float32)
w = tf.Variable(tf.truncated_normal([50, 20]))
h = tf.matmul(ids, w)  # expect: DP607 # fixed: h = tf.matmul(ids_f, w)
h = tf.nn.tanh(h)
