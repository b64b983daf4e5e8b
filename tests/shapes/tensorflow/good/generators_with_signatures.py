# Elements of a generator as its signature says, and Sequential layers that get what they take.
import numpy as np
import tensorflow as tf


def pairs():
    for _ in range(10):
        yield np.zeros((28, 28, 1), np.float32), 3


spec = (tf.TensorSpec((28, 28, 1), tf.float32), tf.TensorSpec((), tf.int32))
data = tf.data.Dataset.from_generator(pairs, output_signature=spec).batch(4)
older = tf.data.Dataset.from_generator(pairs, (tf.float32, tf.int32), ([28, 28, 1], [])).batch(4)
oldest = tf.data.Dataset.from_generator(pairs, (tf.float32, tf.int32)).batch(4)
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(28, 28, 1)), tf.keras.layers.Dense(10)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
for one in (data, older, oldest):
    model.fit(one)
