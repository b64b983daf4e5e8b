# TypeError: Value passed to parameter 'labels' has DataType float32 not in list of allowed values: int32, int64
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None])  # fixed: y = tf.placeholder(tf.int32, [None])
logits = tf.layers.dense(x, 3)
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)  # expect: DP607
