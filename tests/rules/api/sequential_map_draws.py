import numpy as np
import tensorflow as tf


class Model:
    def augment(self, images):
        return tf.stack([tf.image.random_crop(image, (64, 64, 3)) for image in images])

    def load(self, paths):
        def shown(images):
            return tf.py_function(lambda some: self.augment(some), inp=[images], Tout=tf.float32)

        return tf.data.Dataset.from_tensor_slices(paths).map(shown)  # expect: DP101  # hint: DP107


def resize(image):
    return tf.image.resize(image, (8, 8))


def plain(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(  # expect: DP101  # hint: DP107
        lambda x: tf.py_function(resize, [x], tf.float32))
