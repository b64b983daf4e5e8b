import tensorflow.compat.v1 as tf

weights = tf.Variable(tf.zeros([784, 10]))
with tf.Session() as sess:
    for step in range(1000):
        sess.run(weights)  # hint: DP823
