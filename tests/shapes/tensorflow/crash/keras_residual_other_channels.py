# keras: ValueError: Inputs have incompatible shapes. Received shapes (32, 32, 64) and (32, 32, 3)
from tensorflow.keras import layers, models


def residual_block(x, filters):
    shortcut = x  # fixed: shortcut = layers.Conv2D(filters, 1)(x)
    y = layers.Conv2D(filters, 3, padding="same")(x)
    y = layers.BatchNormalization()(y)
    y = layers.ReLU()(y)
    y = layers.Conv2D(filters, 3, padding="same")(y)
    y = layers.BatchNormalization()(y)
    y = layers.Add()([shortcut, y])  # expect: DP602
    return layers.ReLU()(y)


inputs = layers.Input(shape=(32, 32, 3))
x = residual_block(inputs, 64)
x = residual_block(x, 64)
x = layers.GlobalAveragePooling2D()(x)
model = models.Model(inputs, layers.Dense(10)(x))
