# tensorflow: Add of [N, 16, 16, 32] and [N, 32, 32, 16] is invalid: 16 against 32 in dimension 1
from tensorflow.keras.layers import Input, Conv2D, BatchNormalization, Activation, Add
from tensorflow.keras.models import Model


def res_block(x, filters, stride=1):
    shortcut = x
    y = Conv2D(filters, 3, strides=stride, padding='same')(x)
    y = BatchNormalization()(y)
    y = Activation('relu')(y)
    y = Conv2D(filters, 3, padding='same')(y)
    y = BatchNormalization()(y)
    #+ if stride != 1 or x.shape[-1] != filters:
        #+ shortcut = Conv2D(filters, 1, strides=stride, padding='same')(x)
    return Activation('relu')(Add()([y, shortcut]))  # expect: DP602


inp = Input((32, 32, 3))
x = Conv2D(16, 3, padding='same')(inp)
x = res_block(x, 16)
x = res_block(x, 32, stride=2)
model = Model(inp, x)
