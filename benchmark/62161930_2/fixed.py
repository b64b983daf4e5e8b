import itertools

import numpy as np
import tensorflow as tf

ITEMS = 100
FEATURES = 32

items = np.random.default_rng(0).random((ITEMS, FEATURES), dtype=np.float32)
left = tf.keras.Input((FEATURES,))
right = tf.keras.Input((FEATURES,))
encoder = tf.keras.Sequential([tf.keras.layers.Dense(512, activation="relu"), tf.keras.layers.Dense(64)])
codes = tf.keras.Model(left, encoder(left)).predict(items, batch_size=1024)

pairs = np.array(list(itertools.product(range(ITEMS), repeat=2)))
distances = np.square(codes[pairs[:, 0]] - codes[pairs[:, 1]]).sum(axis=1)
result = distances.shape[0]
