import jax
import jax.numpy as jnp
import optax


class Ema:
    def __init__(self, decay):
        self.decay = decay
        self.count = 0

    def blend(self, average, params):
        return jax.tree.map(lambda a, p: self.decay * a + (1 - self.decay) * p, average, params)

    def log(self, average):
        return jax.tree.map(lambda a: print(a.shape), average)


@jax.jit
def step(params, average, x):
    ema = Ema(0.999)
    params = jax.tree.map(lambda p: p - 0.1 * jnp.mean(x), params)
    ema.blend(average, params)  # expect: DP849
    ema.log(average)
    average = ema.blend(average, params)
    return params, average
