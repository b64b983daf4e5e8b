import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Config:
    steps: int = 1000
    layers: int = 4


class Diffusion:
    def __init__(self, config):
        self.config = config
        self.betas = jnp.linspace(1e-4, 0.02, config.steps)
        self.sample = jax.jit(self._sample)
        self.stack = jax.jit(self._stack)

    def _denoise(self, params, x, t):
        return x - jnp.sqrt(self.betas[t]) * jnp.tanh(x @ params)

    def _sample(self, params, x):
        x = jnp.tanh(x)
        for t in reversed(range(self.config.steps)):  # expect: DP221
            x = self._denoise(params, x, t)
        return x

    def _stack(self, params, x):
        x = jnp.tanh(x)
        for layer in range(self.config.layers):
            x = self._denoise(params, x, layer)
        return x

    def eager(self, params, x):
        for t in reversed(range(self.config.steps)):
            x = self._denoise(params, x, t)
        return x


def main(params, x):
    diffusion = Diffusion(Config())
    return diffusion.sample(params, x), diffusion.stack(params, x), diffusion.eager(params, x)
