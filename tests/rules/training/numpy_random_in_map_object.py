import functools
import random

import numpy as np
import tensorflow as tf


class Crop:
    def __init__(self, size):
        self.size = size

    def offset(self):
        return np.random.randint(0, 20)  # expect: DP856

    def __call__(self, image):
        return tf.image.crop_to_bounding_box(image, self.offset(), 0, self.size, self.size)


def flip(image):
    return tf.image.flip_up_down(image) if random.random() < 0.5 else image  # expect: DP856


def shift(image, most):
    return image + np.random.uniform(0, most)  # expect: DP856


class Fixed:
    def __call__(self, image):
        return tf.image.random_flip_left_right(image)


def pipelines(images):
    ds = tf.data.Dataset.from_tensor_slices(images)
    a = ds.map(Crop(64), num_parallel_calls=4)
    b = ds.map(lambda image: flip(image), num_parallel_calls=4)
    c = ds.map(functools.partial(shift, most=3), num_parallel_calls=4)
    d = ds.map(Fixed(), num_parallel_calls=4)
    return a, b, c, d
