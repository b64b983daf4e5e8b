import numpy as np
from tensorflow import keras

x = np.random.rand(100, 6)
model = keras.Sequential([keras.layers.Dense(8, input_dim=6), keras.layers.Dense(1, activation="sigmoid")])
model.compile(loss="binary_crossentropy", optimizer="adam")
model.fit(x, np.random.randint(0, 2, 100))
model.fit(x, np.random.randint(0, 2, (100, 1)))
