# InvalidArgumentError: logits and labels must have the same first dimension
import numpy as np
import tensorflow as tf

def gen():
    for _ in range(100):
        yield np.zeros((28, 28, 1), np.float32), np.zeros((4,), np.int32)

ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((28, 28, 1), tf.float32), tf.TensorSpec((4,), tf.int32))).batch(8)  # fixed: ds = tf.data.Dataset.from_generator(gen, output_signature=(tf.TensorSpec((28, 28, 1), tf.float32), tf.TensorSpec((), tf.int32))).batch(8)
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(28, 28, 1)), tf.keras.layers.Dense(10)])
model.compile('adam', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(ds)  # expect: DP605
