# ValueError: A Concatenate layer requires inputs with matching shapes except for the concat axis. Got (None, 16, 16, 64) and (None, 32, 32, 64)
from keras.layers import Input, Conv2D, MaxPooling2D, UpSampling2D, concatenate
from keras.models import Model

def unet(input_size=(32, 32, 1)):
    inputs = Input(input_size)
    c1 = Conv2D(64, 3, activation='relu', padding='same')(inputs)
    p1 = MaxPooling2D(pool_size=(2, 2))(c1)
    c2 = Conv2D(128, 3, activation='relu', padding='same')(p1)
    p2 = MaxPooling2D(pool_size=(2, 2))(c2)
    c3 = Conv2D(256, 3, activation='relu', padding='same')(p2)
    u1 = Conv2D(64, 2, activation='relu', padding='same')(UpSampling2D(size=(2, 2))(c3))
    m1 = concatenate([c1, u1], axis=3)  # expect: DP602 # fixed: m1 = concatenate([c2, u1], axis=3)
    out = Conv2D(1, 1, activation='sigmoid')(m1)
    return Model(inputs=inputs, outputs=out)

model = unet()
model.compile(optimizer='adam', loss='binary_crossentropy')
