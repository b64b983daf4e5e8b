# Labels of every shape that Keras takes.
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

x = np.random.rand(64, 10, 4)
per_step = tf.keras.Sequential([layers.LSTM(8, return_sequences=True, input_shape=(10, 4)), layers.Dense(5)])
per_step.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
per_step.fit(x, np.zeros((64, 10)))
per_step.fit(x, np.zeros((64, 10, 1)))
per_step.compile("adam", "mse")
per_step.fit(x, np.zeros((64, 10, 5)))
per_step.fit(x, np.zeros((64, 10, 1)))
one = tf.keras.Sequential([layers.LSTM(8, return_sequences=True, input_shape=(10, 4)), layers.Dense(1)])
one.compile("adam", "mse")
one.fit(x, np.zeros((64, 10)))
one.fit(x, np.zeros((64, 1)))

inputs = tf.keras.Input((10, 4))
hidden = layers.GRU(8)(inputs)
kind = layers.Dense(3, activation="softmax", name="kind")(hidden)
size = layers.Dense(1, name="size")(hidden)
both = tf.keras.Model(inputs, [kind, size])
both.compile("adam", loss={"kind": "sparse_categorical_crossentropy", "size": "mse"})
both.fit(x, {"kind": np.zeros(64), "size": np.zeros(64)})
both.compile("adam", loss=["categorical_crossentropy", "mae"])
both.fit(x, [np.zeros((64, 3)), np.zeros(64)])

def batches():
    while True:
        yield np.zeros((8, 10, 4)), [np.zeros((8, 3)), np.zeros((8, 1))]

both.fit(batches(), steps_per_epoch=3)

class Data(tf.keras.utils.Sequence):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return x[index * 8:(index + 1) * 8], (np.zeros((8, 3)), np.zeros((8, 1)))

both.fit(Data())
