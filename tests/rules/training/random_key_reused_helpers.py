import jax
import jax.numpy as jnp


def init_layer(key, rows, columns):
    return jax.random.normal(key, (rows, columns)) * 0.1


def init(key):
    first = init_layer(key, 784, 256)
    second = init_layer(key, 256, 10)  # expect: DP825
    return first, second


def init_well(key):
    a, b = jax.random.split(key)
    return init_layer(a, 784, 256), init_layer(b, 256, 10)


def either(key, small):
    if small:
        return init_layer(key, 8, 8)
    return init_layer(key, 16, 16)


@jax.jit
def noisy_loss(params, key):
    return jnp.sum(params * jax.random.normal(key, params.shape))


def compare(params, key):
    return noisy_loss(params, key) - noisy_loss(params + 1.0, key)


class Agent:
    def __init__(self, seed):
        self.key = jax.random.PRNGKey(seed)
        self.moving = jax.random.PRNGKey(seed)

    def act(self, logits):
        return jax.random.categorical(self.key, logits)  # expect: DP825

    def act_well(self, logits):
        self.moving, subkey = jax.random.split(self.moving)
        return jax.random.categorical(subkey, logits)


def play(environment, steps):
    agent = Agent(0)
    for _ in range(steps):
        environment.step(agent.act(environment.logits))
        environment.step(agent.act_well(environment.logits))
