import tensorflow as tf

BATCH = 8
SIZE = 64
CHANNELS = 32

images = tf.complex(tf.random.uniform((BATCH, SIZE, SIZE, CHANNELS), seed=1), 0.0)


def spectrum(images):
    channels_first = tf.transpose(images, [0, 3, 1, 2])
    return tf.transpose(tf.signal.fft2d(channels_first), [0, 2, 3, 1])


result = float(tf.reduce_mean(tf.abs(spectrum(images))))
