# flax: TypeError: dot_general requires contracting dimensions to have the same shape, got (64,) and (128,).
import jax
import jax.numpy as jnp
import flax.linen as nn


class AutoEncoder(nn.Module):
    latent: int = 64

    def setup(self):
        self.encoder = nn.Dense(self.latent)
        self.decoder_kernel = self.param("kernel", nn.initializers.lecun_normal(), (128, 784))  # fixed: self.decoder_kernel = self.param("kernel", nn.initializers.lecun_normal(), (self.latent, 784))

    def __call__(self, x):
        z = nn.relu(self.encoder(x))
        return z @ self.decoder_kernel  # expect: DP602


model = AutoEncoder()
params = model.init(jax.random.PRNGKey(0), jnp.ones((2, 784)))
