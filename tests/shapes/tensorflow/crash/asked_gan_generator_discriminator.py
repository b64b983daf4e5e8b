# ValueError: Input 0 of layer discriminator is incompatible: expected shape=(None, 28, 28, 1), found shape=(None, 14, 14, 1)
import tensorflow as tf
from tensorflow.keras import layers

def make_generator(latent):
    m = tf.keras.Sequential(name='generator')
    m.add(layers.Dense(7 * 7 * 128, input_shape=(latent,)))
    m.add(layers.Reshape((7, 7, 128)))
    m.add(layers.Conv2DTranspose(64, 5, strides=1, padding='same'))  # fixed: m.add(layers.Conv2DTranspose(64, 5, strides=2, padding='same'))
    m.add(layers.LeakyReLU())
    m.add(layers.Conv2DTranspose(1, 5, strides=2, padding='same', activation='tanh'))
    return m

def make_discriminator():
    m = tf.keras.Sequential(name='discriminator')
    m.add(layers.Conv2D(64, 5, strides=2, padding='same', input_shape=(28, 28, 1)))
    m.add(layers.LeakyReLU())
    m.add(layers.Flatten())
    m.add(layers.Dense(1))
    return m

class GAN:
    def __init__(self, latent=100):
        self.g = make_generator(latent)
        self.d = make_discriminator()
        self.latent = latent

    def step(self, batch):
        noise = tf.random.normal([batch, self.latent])
        fake = self.g(noise, training=True)
        return self.d(fake, training=True)  # expect: DP601 or DP613

gan = GAN()
gan.step(16)
