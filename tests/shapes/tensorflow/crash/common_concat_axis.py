# tensorflow: Concatenate of [N, 32, 32, 16] and [N, 16, 16, 8] is invalid: all sizes but that of axis -1 must be equal
from tensorflow.keras import layers, Model
a = layers.Input((32, 32, 16))
b = layers.Input((16, 16, 8))  # fixed: b = layers.Input((32, 32, 8))
m = Model([a, b], layers.Concatenate()([a, b]))  # expect: DP602
