# tensorflow 2: ValueError: 'images' must have either 3 or 4 dimensions.
import tensorflow as tf

(x_train, y_train), _ = tf.keras.datasets.mnist.load_data()
image = tf.constant(x_train[0])
resized = tf.image.resize(image, [32, 32])  # expect: DP604  # fixed: resized = tf.image.resize(image[..., tf.newaxis], [32, 32])
