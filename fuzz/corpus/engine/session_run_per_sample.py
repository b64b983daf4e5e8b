import numpy as np
import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 10])
y = tf.layers.dense(x, 1)


def fires(sess, images, labels):
    for image in images:
        print(sess.run(y, feed_dict={x: [image]}))  # hint: DP110
    for image in images:
        batch = np.expand_dims(image, axis=0)
        print(sess.run(y, feed_dict={x: batch}))  # hint: DP110
    for image in images:
        print(sess.run(y, {x: image[np.newaxis, :]}))  # hint: DP110
    for image in images:
        feed = {x: image.reshape((1, 10))}
        print(sess.run(y, feed_dict=feed))  # hint: DP110


def silent(sess, batches, image):
    for batch in batches:
        print(sess.run(y, feed_dict={x: batch}))
    print(sess.run(y, feed_dict={x: [image]}))
    for i, batch in enumerate(batches):
        if i % 100 == 0:
            print(sess.run(y, feed_dict={x: [image]}))
    for batch in batches:
        print(sess.run(y, feed_dict={x: np.expand_dims(batch, -1)}))


def as_floats(shape):
    array = np.zeros(shape)
    array = array.astype(float)
    return array


def led_to_itself(sess, shape):
    for _ in range(1000):
        array = as_floats(shape)
        sess.run(y, feed_dict={x: array})
