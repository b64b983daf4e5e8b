import numpy as np
import tensorflow as tf

IMAGES = 300
SIZE = 64

images = np.random.rand(IMAGES, 256, 256, 3).astype(np.float32)
small = []
with tf.Session() as sess:
    for image in images:
        resized = tf.image.resize_images(image, [SIZE, SIZE])
        small.append(sess.run(resized))

result = len(small)
