# Labels that do not fit the loss that a Keras model was compiled with.
import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Dense
from tensorflow.keras.utils import to_categorical

x = np.random.rand(100, 8)
labels = np.random.randint(0, 3, size=(100,))

model = keras.Sequential([Dense(16, input_dim=8), Dense(3, activation="softmax")])
model.compile(optimizer="adam", loss="categorical_crossentropy")
model.fit(x, labels)  # expect: DP605
model.fit(x, to_categorical(labels, 3))
model.fit(x, to_categorical(labels, 4))  # expect: DP605

sparse = keras.Sequential([Dense(16, input_dim=8), Dense(3, activation="softmax")])
sparse.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy())
sparse.fit(x, np.zeros((100, 3)))  # expect: DP605
sparse.fit(x, labels)
sparse.fit(x, labels.reshape(-1, 1))

values = keras.Sequential([Dense(2, input_dim=8)])
values.compile(optimizer="sgd", loss="mse")
values.fit(x, np.random.rand(100, 3))  # expect: DP605
values.fit(x, np.random.rand(100, 2))
