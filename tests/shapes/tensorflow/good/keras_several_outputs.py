import numpy as np
from tensorflow.keras import layers, Model, Input

a = Input((None, 64))
b = Input((64,))
e = layers.Dense(64)
x = layers.Add()([e(a), layers.Reshape((1, 64))(e(b))])
y = layers.Multiply()([x, layers.Dense(1)(x)])
y = layers.GlobalAveragePooling1D()(y)
z = layers.Concatenate()([y, b])
o1 = layers.Dense(3, activation="softmax", name="cls")(z)
o2 = layers.Dense(1, name="reg")(z)
m = Model([a, b], [o1, o2])
m.compile("adam", loss=["categorical_crossentropy", "mse"])
m.fit([np.zeros((8, 5, 64)), np.zeros((8, 64))], [np.zeros((8, 3)), np.zeros((8,))])
m.compile("adam", loss={"cls": "categorical_crossentropy", "reg": "mse"})
m.fit({"input_1": np.zeros((8, 5, 64)), "input_2": np.zeros((8, 64))}, {"cls": np.zeros((8, 3)), "reg": np.zeros((8,))})
