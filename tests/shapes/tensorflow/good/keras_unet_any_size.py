from tensorflow.keras import layers, Model


def block(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


def unet(size=None, depth=4, classes=2):
    inputs = layers.Input((size, size, 3))
    skips, x = [], inputs
    for level in range(depth):
        x = block(x, 16 * 2 ** level)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = block(x, 16 * 2 ** depth)
    for level in reversed(range(depth)):
        x = layers.Conv2DTranspose(16 * 2 ** level, 2, strides=2)(x)
        x = layers.concatenate([x, skips[level]])
        x = block(x, 16 * 2 ** level)
    return Model(inputs, layers.Conv2D(classes, 1)(x))


unet()
unet(128)
unet(96, depth=3)
