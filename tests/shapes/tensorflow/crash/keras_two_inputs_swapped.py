# keras: ValueError: Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have value 64 but received input with shape (None, 8)
import numpy as np
from tensorflow.keras.layers import Input, Dense, Concatenate
from tensorflow.keras.models import Model

a = Input(shape=(64,))
b = Input(shape=(8,))
h = Concatenate()([Dense(32, activation="relu")(a), Dense(32, activation="relu")(b)])
model = Model([a, b], Dense(3, activation="softmax")(h))
model.compile("adam", "sparse_categorical_crossentropy")
xa = np.zeros((256, 64))
xb = np.zeros((256, 8))
y = np.zeros((256,), dtype="int32")
model.fit([xb, xa], y, epochs=1)  # expect: DP613  # fixed: model.fit([xa, xb], y, epochs=1)
