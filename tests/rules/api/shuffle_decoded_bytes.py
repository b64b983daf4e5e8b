import tensorflow as tf
import tensorflow_datasets as tfds

SIZE = (256, 256)


def prepare(data):
    image = tf.image.resize(data["image"], SIZE, antialias=True)
    return image / 127.5 - 1.0, data["label"]


def small(data):
    return tf.image.resize(data["image"], (32, 32)), data["label"]


def as_bytes(data):
    return tf.cast(tf.image.resize(data["image"], SIZE), tf.uint8), data["label"]


def train():
    dataset = tfds.load("imagenet2012", split="train")
    dataset = dataset.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.shuffle(10_000)  # expect: DP189
    return dataset.batch(64).prefetch(tf.data.AUTOTUNE)


def first():
    dataset = tfds.load("imagenet2012", split="train").shuffle(10_000)
    dataset = dataset.map(prepare, num_parallel_calls=tf.data.AUTOTUNE)
    return dataset.batch(64).prefetch(tf.data.AUTOTUNE)


def others():
    dataset = tfds.load("imagenet2012", split="train")
    a = dataset.map(small, num_parallel_calls=tf.data.AUTOTUNE).shuffle(10_000)
    b = dataset.map(as_bytes, num_parallel_calls=tf.data.AUTOTUNE).shuffle(10_000)
    c = dataset.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).shuffle(1_000)
    return [d.batch(64).prefetch(tf.data.AUTOTUNE) for d in (a, b, c)]
