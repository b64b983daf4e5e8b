import numpy as np
import tensorflow as tf

IMAGES = 300
SIZE = 64

images = np.random.rand(IMAGES, 256, 256, 3).astype(np.float32)
small = []
picture = tf.placeholder(tf.float32, [256, 256, 3])
resized = tf.image.resize_images(picture, [SIZE, SIZE])
with tf.Session() as sess:
    for image in images:
        small.append(sess.run(resized, {picture: image}))

result = len(small)
