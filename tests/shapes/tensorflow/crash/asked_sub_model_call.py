# ValueError: Input 0 of layer dense_2 is incompatible with the layer: expected axis -1 of input shape to have value 32 but received input with shape (None, 16)
import tensorflow as tf

class Encoder(tf.keras.layers.Layer):
    def __init__(self, dim):
        super().__init__()
        self.proj = tf.keras.layers.Dense(dim)

    def call(self, x):
        return self.proj(x)

class VAE(tf.keras.Model):
    def __init__(self, latent=8):
        super().__init__()
        self.encoder = Encoder(latent * 2)
        self.decoder = tf.keras.Sequential([tf.keras.layers.Input((latent * 2,)), tf.keras.layers.Dense(784)])  # fixed: self.decoder = tf.keras.Sequential([tf.keras.layers.Input((latent,)), tf.keras.layers.Dense(784)])

    def call(self, x):
        mean, logvar = tf.split(self.encoder(x), 2, axis=1)
        z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        return self.decoder(z)  # expect: DP613 or DP601

vae = VAE()
vae(tf.zeros((4, 784)))
