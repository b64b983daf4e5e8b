import keras
import tensorflow as tf
from keras import layers


def prep(x, y):
    return tf.cast(x, tf.float32) / 255.0, y  # expect: DP981


def raw(x, y):
    return tf.cast(x, tf.float32), y


def data(function):
    (x, y), _ = keras.datasets.cifar10.load_data()
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    return ds, function


def train():
    (x, y), _ = keras.datasets.cifar10.load_data()
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(8).map(prep, num_parallel_calls=-1).prefetch(2)
    model = keras.Sequential([layers.Rescaling(1 / 255.0), layers.Flatten(), layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(ds)


def arrays():
    (x, y), _ = keras.datasets.cifar10.load_data()
    x = x.astype("float32") / 255.0  # expect: DP981
    inputs = keras.Input((32, 32, 3))
    h = layers.RandomFlip()(inputs)
    h = layers.Rescaling(scale=1.0 / 255)(h)
    model = keras.Model(inputs, layers.Dense(10)(layers.Flatten()(h)))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y)


def good():
    (x, y), _ = keras.datasets.cifar10.load_data()
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(8).map(raw, num_parallel_calls=-1).prefetch(2)
    model = keras.Sequential([layers.Rescaling(1 / 255.0), layers.Flatten(), layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(ds)


def back():
    (x, y), _ = keras.datasets.cifar10.load_data()
    x = x.astype("float32") / 255.0
    model = keras.Sequential([layers.Rescaling(2.0, offset=-1.0), layers.Flatten(), layers.Dense(10)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y)
