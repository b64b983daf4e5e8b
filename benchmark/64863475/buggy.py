import tensorflow as tf

BATCH = 8
SIZE = 64
CHANNELS = 32

images = tf.complex(tf.random.uniform((BATCH, SIZE, SIZE, CHANNELS), seed=1), 0.0)


def spectrum(images):
    return tf.stack([tf.signal.fft2d(images[..., c]) for c in range(images.shape[-1])], axis=-1)


result = float(tf.reduce_mean(tf.abs(spectrum(images))))
