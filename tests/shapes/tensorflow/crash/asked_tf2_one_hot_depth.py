# ValueError: Shapes (8, 4) and (8, 3) are incompatible
import tensorflow as tf

labels = tf.constant([0, 1, 2, 1, 0, 2, 1, 0])
logits = tf.random.normal((8, 3))
onehot = tf.one_hot(labels, 4)  # fixed: onehot = tf.one_hot(labels, 3)
loss = tf.nn.softmax_cross_entropy_with_logits(labels=onehot, logits=logits)  # expect: DP605 or DP602
