from tensorflow.keras import backend as K
from tensorflow.keras import layers, Sequential

K.set_image_data_format("channels_first")
model = Sequential([
    layers.Conv2D(16, 3, input_shape=(3, 64, 64)),
    layers.MaxPooling2D(),
    layers.Conv2D(32, 3),
    layers.Flatten(),
    layers.Dense(2),
])
