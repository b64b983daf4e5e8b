"""Functions that run Python, and functions that do next to nothing."""
import collections
import json

import numpy as np
import tensorflow as tf


def tokens(text):
    return [len(word) for word in text.numpy().split()]


def by_keyword(texts: tf.data.Dataset):
    return texts.map(lambda text: tf.py_function(func=tokens, inp=[text], Tout=tf.int64))  # hint: DP101, DP107


def feature(value):
    if isinstance(value, type(tf.constant(0))):
        value = value.numpy()
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def serialise(images: tf.data.Dataset):
    return images.map(lambda image: tf.py_function(lambda x: feature(x).SerializeToString(), (image,), tf.string))  # hint: DP101, DP107


def boxes(text):
    return np.array([[box["x"], box["y"]] for box in json.loads(text)["boxes"]], dtype=np.float32)


def load(image, text):
    pixels = tf.image.decode_jpeg(tf.io.read_file(image), channels=3)
    return pixels, tf.numpy_function(boxes, [tf.io.read_file(text)], tf.float32)


def decoded(images, texts):
    return tf.data.Dataset.from_tensor_slices((images, texts)).map(load)  # expect: DP101  # hint: DP107


class Example(collections.namedtuple("Example", ["image", "label"])):
    pass


class Held:
    def __init__(self, image, label):
        self.image = image
        self.label = label


class Decoded:
    def __init__(self, image):
        self.image = tf.image.decode_jpeg(image)


def packed(records: tf.data.Dataset):
    records = records.map(lambda image, label: Example(image, label))  # hint: DP101
    return records.map(Held)  # hint: DP101


def decoded_in_a_constructor(records: tf.data.Dataset):
    return records.map(lambda image: Decoded(image)).batch(2)  # expect: DP101
