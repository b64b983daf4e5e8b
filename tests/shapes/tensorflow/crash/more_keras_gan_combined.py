# keras: the model expects shape (None, 100) and found (None, 10)
import numpy as np
from keras.layers import Input, Dense, Flatten, Reshape, LeakyReLU
from keras.models import Sequential, Model


class GAN():
    def __init__(self):
        self.img_shape = (28, 28, 1)
        self.latent_dim = 100
        self.discriminator = self.build_discriminator()
        self.discriminator.compile(loss='binary_crossentropy', optimizer='adam')
        self.generator = self.build_generator()
        z = Input(shape=(self.latent_dim,))
        img = self.generator(z)
        validity = self.discriminator(img)
        self.combined = Model(z, validity)
        self.combined.compile(loss='binary_crossentropy', optimizer='adam')

    def build_generator(self):
        model = Sequential()
        model.add(Dense(256, input_dim=self.latent_dim))
        model.add(LeakyReLU(alpha=0.2))
        model.add(Dense(np.prod(self.img_shape), activation='tanh'))
        model.add(Reshape(self.img_shape))
        noise = Input(shape=(self.latent_dim,))
        return Model(noise, model(noise))

    def build_discriminator(self):
        model = Sequential()
        model.add(Flatten(input_shape=self.img_shape))
        model.add(Dense(512))
        model.add(Dense(1, activation='sigmoid'))
        img = Input(shape=self.img_shape)
        return Model(img, model(img))

    def train(self, epochs, batch_size=128):
        for epoch in range(epochs):
            noise = np.random.normal(0, 1, (batch_size, 10))  # fixed: noise = np.random.normal(0, 1, (batch_size, self.latent_dim))
            gen_imgs = self.generator.predict(noise)  # expect: DP613
            valid = np.ones((batch_size, 1))
            self.combined.train_on_batch(noise, valid)


if __name__ == '__main__':
    gan = GAN()
    gan.train(epochs=30000, batch_size=32)
