# tensorflow: each of [N, 6272] has 6272 elements, and [7, 7, 256] cannot hold them
from tensorflow.keras import Sequential, layers
g = Sequential([layers.Input((100,)), layers.Dense(7 * 7 * 128), layers.Reshape((7, 7, 256)), layers.Conv2DTranspose(64, 4, 2, 'same')])  # expect: DP603  # fixed: g = Sequential([layers.Input((100,)), layers.Dense(7 * 7 * 128), layers.Reshape((7, 7, 128)), layers.Conv2DTranspose(64, 4, 2, 'same')])
