# keras: shapes (None, 100) and (None, 10) are incompatible
import numpy as np
import tensorflow as tf

(x, y), _ = tf.keras.datasets.cifar100.load_data()
y = tf.keras.utils.to_categorical(y, 100)
model = tf.keras.Sequential([
    tf.keras.layers.Flatten(input_shape=(32, 32, 3)),
    tf.keras.layers.Dense(256, activation="relu"),
    tf.keras.layers.Dense(10, activation="softmax"),  # fixed: tf.keras.layers.Dense(100, activation="softmax"),
])
model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss=tf.keras.losses.CategoricalCrossentropy(), metrics=["accuracy"])
model.fit(x, y, batch_size=64)  # expect: DP605
