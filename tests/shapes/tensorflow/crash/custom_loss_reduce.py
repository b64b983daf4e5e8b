# tensorflow: * of [2] and [N, 3] is invalid: 2 is not 3
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

inp = layers.Input((16,))
out = layers.Dense(3)(layers.Dense(32, activation='relu')(inp))
model = tf.keras.Model(inp, out)


def weighted_mse(y_true, y_pred):
    w = tf.constant([1.0, 0.5])  # fixed: w = tf.constant([1.0, 0.5, 0.25])
    return tf.reduce_mean(w * tf.square(y_true - y_pred), axis=-1)  # expect: DP602


model.compile('adam', loss=weighted_mse)
model.fit(np.random.rand(64, 16), np.random.rand(64, 3), epochs=1)
