# tensorflow: the model takes [N, 6], but gets [(rows*columns)//7, 7]
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

feature_count = 6
inputs = keras.Input(shape=(feature_count,))
x = layers.Dense(32, activation="relu")(inputs)
outputs = layers.Dense(1)(x)
model = keras.Model(inputs=inputs, outputs=outputs)
model.compile(optimizer="adam", loss="mse")
data = np.loadtxt("data.csv", delimiter=",").reshape(-1, 7)
features, target = data[:, :], data[:, -1]  # fixed: features, target = data[:, :-1], data[:, -1]
model.fit(features, target, epochs=3)  # expect: DP613
