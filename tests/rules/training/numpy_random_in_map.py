import random

import numpy as np
import tensorflow as tf


def noise(image):
    return image + np.random.normal(0, 0.1, (32, 32, 3))  # expect: DP856


def flip(image):
    if random.random() < 0.5:  # expect: DP856
        image = tf.image.flip_left_right(image)
    return image


def offset():
    return np.random.randint(0, 8)  # expect: DP856


def shift(image):
    return tf.roll(image, offset(), 0)


class Augment:
    def crop(self, image):
        top = np.random.randint(0, 8)  # expect: DP856
        return tf.image.crop_to_bounding_box(image, top, 0, 24, 24)

    def dataset(self, images):
        ds = tf.data.Dataset.from_tensor_slices(images)
        return ds.map(self.crop, num_parallel_calls=4).batch(8).prefetch(1)


def python_noise(image):
    return image + np.random.normal(0, 0.1, image.shape)


def by_python(image):
    return tf.numpy_function(python_noise, [image], tf.float32)


def right(image):
    return image + tf.random.normal((32, 32, 3))


def pipeline(images):
    np.random.shuffle(images)
    ds = tf.data.Dataset.from_tensor_slices(images)
    ds = ds.map(noise, num_parallel_calls=4)
    ds = ds.map(flip, num_parallel_calls=4)
    ds = ds.map(shift, num_parallel_calls=4)
    ds = ds.map(lambda image: image * np.random.rand(), num_parallel_calls=4)  # expect: DP856
    ds = ds.map(right, num_parallel_calls=4)
    ds = ds.map(by_python, num_parallel_calls=4)  # expect: DP107
    return ds.batch(8).prefetch(1)
