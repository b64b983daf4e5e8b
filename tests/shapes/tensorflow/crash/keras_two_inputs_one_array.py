# keras: ValueError: Layer "model" expects 2 input(s), but it received 1 input tensors.
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

image_in = keras.Input(shape=(64,), name="image")
meta_in = keras.Input(shape=(8,), name="meta")
x = layers.concatenate([layers.Dense(32)(image_in), layers.Dense(32)(meta_in)])
out = layers.Dense(1)(x)
model = keras.Model(inputs=[image_in, meta_in], outputs=out)
model.compile(optimizer="adam", loss="mse")
images = np.random.rand(100, 64)
meta = np.random.rand(100, 8)
target = np.random.rand(100, 1)
model.fit(images, target, epochs=2)  # expect: DP613  # fixed: model.fit([images, meta], target, epochs=2)
