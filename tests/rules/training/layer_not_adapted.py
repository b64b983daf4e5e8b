import keras
from keras import layers


def build(width):
    scale = layers.Normalization(axis=-1)  # expect: DP968
    fixed = layers.Normalization(mean=0.5, variance=0.1)
    words = layers.TextVectorization(max_tokens=1000)  # expect: DP968
    known = layers.TextVectorization(vocabulary=["a", "b"])
    norm = layers.LayerNormalization()
    return keras.Sequential([scale, layers.Dense(width)]), fixed, words, known, norm


model = build(8)[0]
model.compile("adam", "mse")
model.fit(keras.ops.zeros((8, 4)), keras.ops.zeros((8, 8)))
