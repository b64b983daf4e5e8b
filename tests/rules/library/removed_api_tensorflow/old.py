import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None])
with tf.Session() as sess:
    print(sess.run(tf.log(x), {x: [1.0]}))
