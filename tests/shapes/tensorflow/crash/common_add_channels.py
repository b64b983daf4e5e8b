# tensorflow: add of [N, 28, 28, 16] and [N, 26, 26, 16] is invalid: 28 against 26 in dimension 1
from tensorflow.keras import layers, Model
x = layers.Input((28, 28, 3))
h = layers.Conv2D(16, 3, padding='same')(x)
h2 = layers.Conv2D(16, 3, padding='valid')(h)  # fixed: h2 = layers.Conv2D(16, 3, padding='same')(h)
m = Model(x, layers.add([h, h2]))  # expect: DP602
