# ValueError: Operands could not be broadcast together with shapes (16, 16, 64) (32, 32, 64)
from tensorflow.keras.layers import *
from tensorflow.keras.models import Model

def residual_block(x, filters, stride=1):
    shortcut = x
    y = Conv2D(filters, 3, strides=stride, padding='same')(x)
    y = BatchNormalization()(y)
    y = ReLU()(y)
    y = Conv2D(filters, 3, padding='same')(y)
    y = BatchNormalization()(y)
    #+ if stride != 1 or x.shape[-1] != filters:
    #+     shortcut = Conv2D(filters, 1, strides=stride)(shortcut)
    out = Add()([shortcut, y])  # expect: DP602
    return ReLU()(out)

inp = Input((32, 32, 3))
x = Conv2D(64, 3, padding='same')(inp)
x = residual_block(x, 64)
x = residual_block(x, 64, stride=2)
x = GlobalAveragePooling2D()(x)
model = Model(inp, Dense(10)(x))
