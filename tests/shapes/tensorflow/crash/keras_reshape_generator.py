# keras: ValueError: total size of new array must be unchanged, input_shape = [6272], output_shape = [7, 7, 256]
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense, Reshape, Conv2DTranspose, LeakyReLU, BatchNormalization


def build_generator(latent_dim=100):
    model = Sequential()
    model.add(Dense(128 * 7 * 7, input_dim=latent_dim))  # fixed: model.add(Dense(256 * 7 * 7, input_dim=latent_dim))
    model.add(LeakyReLU(0.2))
    model.add(Reshape((7, 7, 256)))  # expect: DP603
    model.add(Conv2DTranspose(128, 5, strides=2, padding="same"))
    model.add(BatchNormalization())
    model.add(Conv2DTranspose(1, 5, strides=2, padding="same", activation="tanh"))
    return model


generator = build_generator()
generator.summary()
