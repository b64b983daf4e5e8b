"""Executed eagerly, a model that is called in a loop is what a loop is for."""
import tensorflow as tf


def eager(images, iterator):
    model = tf.keras.applications.VGG16()
    x = tf.zeros([1, 224, 224, 3])
    for image in images:
        model(image)
        model(x)
        iterator.get_next()


def stack(x, sizes):
    for size in sizes:
        x = tf.keras.layers.Dense(size)(x)
    return x
