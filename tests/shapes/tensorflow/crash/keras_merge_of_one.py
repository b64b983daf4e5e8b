# keras: ValueError: A merge layer should be called on a list of inputs
from tensorflow.keras.layers import Input, Dense, Add
from tensorflow.keras.models import Model

inp = Input(shape=(16,))
a = Dense(16)(inp)
b = Dense(16)(a)
s = Add()(a, b)  # expect: DP610  # fixed: s = Add()([a, b])
model = Model(inp, s)
