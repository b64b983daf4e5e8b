import itertools

import numpy as np
import tensorflow as tf

ITEMS = 100
FEATURES = 32

items = np.random.default_rng(0).random((ITEMS, FEATURES), dtype=np.float32)
left = tf.keras.Input((FEATURES,))
right = tf.keras.Input((FEATURES,))
encoder = tf.keras.Sequential([tf.keras.layers.Dense(512, activation="relu"), tf.keras.layers.Dense(64)])
distance = tf.reduce_sum(tf.square(encoder(left) - encoder(right)), axis=1)
model = tf.keras.Model([left, right], distance)

pairs = np.array(list(itertools.product(range(ITEMS), repeat=2)))
distances = model.predict([items[pairs[:, 0]], items[pairs[:, 1]]], batch_size=1024)
result = distances.shape[0]
