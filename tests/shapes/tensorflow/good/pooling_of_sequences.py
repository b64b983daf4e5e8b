# tf.nn.avg_pool takes sequences, pictures and volumes.
import tensorflow as tf

words = tf.zeros((8, 32, 16))
print(tf.nn.avg_pool(words, [4], strides=[4], padding="SAME").shape)
print(tf.nn.max_pool(words, 2, 2, "VALID").shape)
print(tf.nn.max_pool(tf.zeros((8, 32, 32, 3)), [1, 2, 2, 1], [1, 2, 2, 1], "SAME").shape)
print(tf.nn.max_pool(tf.zeros((2, 8, 8, 8, 3)), [2, 2, 2], [2, 2, 2], "SAME").shape)
