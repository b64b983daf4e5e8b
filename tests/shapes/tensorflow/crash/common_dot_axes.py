# tensorflow: Dot of [N, 16] and [N, 32] is invalid: 16 is not 32
from tensorflow.keras import layers, Model
u = layers.Input((1,)); i = layers.Input((1,))
eu = layers.Flatten()(layers.Embedding(100, 16)(u))  # fixed: eu = layers.Flatten()(layers.Embedding(100, 32)(u))
ei = layers.Flatten()(layers.Embedding(200, 32)(i))
m = Model([u, i], layers.Dot(axes=1)([eu, ei]))  # expect: DP602
