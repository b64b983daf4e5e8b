import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
with tf.Session() as sess:
    print(sess.run(tf.log(x), {x: [1.0]}))
