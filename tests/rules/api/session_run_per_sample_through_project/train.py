import tensorflow as tf
import load_data

x = tf.placeholder(tf.float32, [None, 1])
loss = tf.reduce_mean(x)
_, labels = load_data.generate(100)
example = load_data.first(9)
with tf.Session() as sess:
    for epoch in range(100):
        sess.run(loss, feed_dict={x: labels})
        sess.run(loss, feed_dict={x: example})  # hint: DP110
