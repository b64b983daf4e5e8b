# ValueError: total size of new array must be unchanged, input_shape = [128], output_shape = [8, 8, 4]
from keras.layers import Input, Dense, Reshape, Conv2DTranspose
from keras.models import Model

latent_dim = 100
z = Input(shape=(latent_dim,))
h = Dense(128, activation='relu')(z)  # fixed: h = Dense(256, activation='relu')(z)
h = Reshape((8, 8, 4))(h)  # expect: DP603
h = Conv2DTranspose(16, 3, strides=2, padding='same')(h)
g = Model(z, h)
g.summary()
