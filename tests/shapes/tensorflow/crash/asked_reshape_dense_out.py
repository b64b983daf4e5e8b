# ValueError: total size of new array must be unchanged, input_shape = [100], output_shape = [10, 11]
from tensorflow.keras import Sequential, layers
model = Sequential([
    layers.Dense(100, input_shape=(20,)),
    layers.Reshape((10, 11)),  # expect: DP603 # fixed: layers.Reshape((10, 10)),
    layers.LSTM(4),
])
