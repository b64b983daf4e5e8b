# keras: ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: [(None, 24, 24, 32), (None, 25, 25, 32)]
from keras.models import Model
from keras.layers import Input, Conv2D, MaxPooling2D, UpSampling2D, concatenate


def unet(size):
    inputs = Input((size, size, 1))
    c1 = Conv2D(16, (3, 3), activation='relu', padding='same')(inputs)
    p1 = MaxPooling2D((2, 2))(c1)
    c2 = Conv2D(32, (3, 3), activation='relu', padding='same')(p1)
    p2 = MaxPooling2D((2, 2))(c2)
    c3 = Conv2D(64, (3, 3), activation='relu', padding='same')(p2)
    u2 = UpSampling2D((2, 2))(c3)
    m2 = concatenate([u2, c2], axis=3)
    c4 = Conv2D(32, (3, 3), activation='relu', padding='same')(m2)
    u1 = UpSampling2D((2, 2))(c4)
    m1 = concatenate([u1, c1], axis=3)  # expect: DP602
    out = Conv2D(1, (1, 1), activation='sigmoid')(m1)
    return Model(inputs=inputs, outputs=out)


model = unet(101)  # fixed: model = unet(104)
model.compile(optimizer='adam', loss='binary_crossentropy')
