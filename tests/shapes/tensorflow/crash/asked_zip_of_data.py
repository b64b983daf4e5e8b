# ValueError: Data cardinality is ambiguous
import numpy as np
import tensorflow as tf

X = np.random.rand(1000, 8)
y = np.random.rand(1000, 1)
split = int(0.8 * len(X))
X_train, X_val = X[:split], X[split:]
y_train, y_val = y[:split], y[split:]
m = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(8,)), tf.keras.layers.Dense(1)])
m.compile('adam', 'mse')
m.fit(X_train, y, epochs=3)  # expect: DP613 # fixed: m.fit(X_train, y_train, epochs=3)
