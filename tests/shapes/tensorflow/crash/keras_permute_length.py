# keras: ValueError: Invalid permutation argument `dims` for Permute Layer
from tensorflow.keras import Input, Model
from tensorflow.keras.layers import Permute, Dense, LSTM

inputs = Input(shape=(10, 64))
x = Permute((2, 1, 3))(inputs)  # expect: DP604  # fixed: x = Permute((2, 1))(inputs)
x = Dense(10, activation="softmax")(x)
model = Model(inputs, x)
