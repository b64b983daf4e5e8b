# ValueError: logits and labels must have the same shape ((None, 3) vs (None, 5))
import numpy as np
import tensorflow as tf
y = np.random.randint(0, 2, (200, 5))
X = np.random.rand(200, 12)
inputs = tf.keras.Input((12,))
h = tf.keras.layers.Dense(8, activation='relu')(inputs)
out = tf.keras.layers.Dense(3, activation='sigmoid')(h)  # fixed: out = tf.keras.layers.Dense(5, activation='sigmoid')(h)
m = tf.keras.Model(inputs, out)
m.compile('adam', 'binary_crossentropy')
m.fit(X, y)  # expect: DP605
