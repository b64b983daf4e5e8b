# ValueError: A Concatenate layer requires inputs with matching shapes: (None, 64, 64, 64) and (None, 62, 62, 64)
import tensorflow as tf
from tensorflow.keras import layers as L

def conv_block(x, n):
    x = L.Conv2D(n, 3, activation='relu')(x)  # fixed: x = L.Conv2D(n, 3, activation='relu', padding='same')(x)
    return L.Conv2D(n, 3, activation='relu', padding='same')(x)

def build(size):
    inp = L.Input((size, size, 1))
    skips, x = [], inp
    for n in [16, 32]:
        x = conv_block(x, n)
        skips.append(x)
        x = L.MaxPooling2D()(x)
    x = conv_block(x, 64)
    for n, s in zip([32, 16], reversed(skips)):
        x = L.Conv2DTranspose(n, 2, strides=2, padding='same')(x)
        x = L.Concatenate()([x, s])  # expect: DP602
        x = conv_block(x, n)
    return tf.keras.Model(inp, x)

build(128)
