import numpy as np
import tensorflow as tf

SETTINGS = {"fit": {"epochs": 50, "batch_size": 64}, "plain": {"epochs": 50}}
options = dict(epochs=3, batch_size=32)


def train(x, y):
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(32).prefetch(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(data, **SETTINGS["fit"])  # expect: DP114
    model.fit(data, **options)  # expect: DP114
    model.fit(data, **SETTINGS["plain"])
    model.fit(np.asarray(x), y, **options)


train(np.zeros((10, 3), np.float32), np.zeros((10, 1), np.float32))
