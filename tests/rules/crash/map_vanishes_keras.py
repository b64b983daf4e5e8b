# Keras layers whose window is larger than what is left of the map.
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([
    layers.Conv2D(32, (3, 3), input_shape=(8, 8, 1)),
    layers.MaxPooling2D((2, 2)),
    layers.Conv2D(32, (3, 3)),
    layers.MaxPooling2D((2, 2)),  # expect: DP612
    layers.Flatten(),
])

# Channels come last unless the layer says otherwise.
swapped = keras.Sequential()
swapped.add(layers.Conv2D(32, 3, input_shape=(1, 28, 28)))  # expect: DP612

first = keras.Sequential()
first.add(layers.Conv2D(32, 3, data_format="channels_first", input_shape=(1, 28, 28)))
padded = keras.Sequential([
    layers.Conv2D(32, 3, padding="same", input_shape=(4, 4, 1)),
    layers.MaxPooling2D(),
    layers.Conv2D(32, 3, padding="same"),
    layers.MaxPooling2D(),
])
