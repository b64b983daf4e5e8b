# ValueError: Input 0 of layer conv2d_1 is incompatible with the layer: expected ndim=4, found ndim=3
from keras.layers import Input, Conv2D, Flatten, Dense
from keras.models import Model
import numpy as np

img_rows, img_cols = 28, 28
def make():
    inputs = Input(shape=(img_rows, img_cols))  # fixed: inputs = Input(shape=(img_rows, img_cols, 1))
    x = Conv2D(32, (3, 3), activation='relu')(inputs)  # expect: DP604
    x = Flatten()(x)
    return Model(inputs, Dense(10)(x))
make()
