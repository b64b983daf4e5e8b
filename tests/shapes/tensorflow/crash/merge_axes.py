# tensorflow: concatenate of [N, 100, 100, 32] and [N, 101, 101, 16] is invalid: all sizes but that of axis 3 must be equal
from tensorflow.keras.layers import Input, Conv2D, MaxPooling2D, concatenate, UpSampling2D
from tensorflow.keras.models import Model


def get_unet(h, w):
    inputs = Input((h, w, 1))
    c1 = Conv2D(16, (3, 3), activation='relu', padding='same')(inputs)
    p1 = MaxPooling2D((2, 2))(c1)
    c2 = Conv2D(32, (3, 3), activation='relu', padding='same')(p1)
    p2 = MaxPooling2D((2, 2))(c2)
    c3 = Conv2D(64, (3, 3), activation='relu', padding='same')(p2)
    u4 = concatenate([UpSampling2D((2, 2))(c3), c2], axis=3)
    c4 = Conv2D(32, (3, 3), activation='relu', padding='same')(u4)
    u5 = concatenate([UpSampling2D((2, 2))(c4), c1], axis=3)  # expect: DP602
    c5 = Conv2D(16, (3, 3), activation='relu', padding='same')(u5)
    out = Conv2D(1, (1, 1), activation='sigmoid')(c5)
    return Model(inputs, out)


model = get_unet(101, 101)  # fixed: model = get_unet(128, 128)
model.compile(optimizer='adam', loss='binary_crossentropy')
model.summary()
