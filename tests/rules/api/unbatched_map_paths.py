"""What stands between a map and the batch, on every way from one to the other."""
import tensorflow as tf


def convert(image, label):
    return tf.image.convert_image_dtype(image, tf.float32), label


def crop(image, label):
    return tf.image.random_crop(image, (24, 24, 3)), label


class Data:
    def __init__(self, images, labels):
        self.train = tf.data.Dataset.from_tensor_slices((images, labels))
        self.train = self.train.map(convert, num_parallel_calls=8)
        self.train = self.train.map(crop, num_parallel_calls=8)
        self.train = self.train.shuffle(1000).batch(32)


def sometimes(images, labels, augment):
    train = tf.data.Dataset.from_tensor_slices((images, labels))
    train = train.map(convert, num_parallel_calls=8)
    if augment:
        train = train.map(crop, num_parallel_calls=8)
    return train.shuffle(1000).batch(32)


def either(images, labels, augment):
    train = tf.data.Dataset.from_tensor_slices((images, labels))
    if augment:
        train = train.map(crop, num_parallel_calls=8)
    else:
        train = train.map(convert, num_parallel_calls=8)  # expect: DP102
    return train.shuffle(1000).batch(32)


def shuffled_sometimes(images, labels, shuffle):
    train = tf.data.Dataset.from_tensor_slices((images, labels)).map(convert, num_parallel_calls=8)  # expect: DP102
    if shuffle:
        train = train.shuffle(1000)
    return train.batch(32)


def batched_already(images, labels):
    train = tf.data.Dataset.from_tensor_slices((images, labels)).map(convert, num_parallel_calls=8).batch(32)  # expect: DP102
    return train.map(convert, num_parallel_calls=8).shuffle(100).batch(4)


def taken_apart(images, labels):
    train = tf.data.Dataset.from_tensor_slices((images, labels)).batch(32).map(convert, num_parallel_calls=8).unbatch()
    return train.map(lambda x, y: (x / 255.0, y), num_parallel_calls=8).batch(4)  # expect: DP102
