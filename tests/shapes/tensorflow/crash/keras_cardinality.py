# keras: ValueError: Data cardinality is ambiguous: x sizes: 1000, y sizes: 900. Make sure all arrays contain the same number of samples.
import numpy as np
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense

series = np.random.rand(1000, 12)
target = series[100:, 0]  # fixed: target = series[:, 0]
model = Sequential([Dense(32, activation="relu", input_shape=(12,)), Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(series, target, epochs=5)  # expect: DP613
