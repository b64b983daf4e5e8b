import jax
import jax.numpy as jnp
import flax.jax_utils
import flax.linen as nn
from functools import partial


@jax.jit
def noisy(key, x):
    return x + jax.random.normal(key, x.shape)


def one(xs):
    key = jax.random.PRNGKey(0)
    for x in xs:
        yield noisy(key, x)  # hint: DP825


class Vae:
    def encode(self, key, x):
        return x + jax.random.normal(key, x.shape)


def two(batches):
    vae = Vae()
    rng = flax.jax_utils.replicate(jax.random.PRNGKey(42))
    enc = jax.pmap(vae.encode)
    for b in batches:
        yield enc(rng, b)  # hint: DP825


class Agent:
    def __init__(self, seed):
        self.rng = jax.random.PRNGKey(seed)

    def act(self, obs):
        return obs + jax.random.normal(self.rng, obs.shape)  # expect: DP825


def three(env):
    a = Agent(0)
    obs = env.reset()
    for _ in range(10000):
        obs = env.step(a.act(obs))


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        return nn.Dropout(0.5, deterministic=not train)(nn.Dense(8)(x))


net = Net()


@jax.jit
def four_step(params, x, rng):
    return net.apply({"params": params}, x, True, rngs={"dropout": rng}).mean()


def four(params, loader):
    rng = jax.random.PRNGKey(1)
    rng, dropout_rng = jax.random.split(rng)
    for x in loader:
        four_step(params, x, dropout_rng)  # hint: DP825


def five(x, key):
    a = jax.random.normal(key, x.shape)
    b = jax.random.uniform(key, x.shape)  # expect: DP825
    return a * b


def init(key, sizes):
    return [jax.random.normal(key, (m, n)) for m, n in zip(sizes[:-1], sizes[1:])]  # expect: DP825


def seven(x, key):
    k1, k2 = jax.random.split(key)
    return sample(k1, x) + sample(k1, x)  # expect: DP825


def sample(k, x):
    return jax.random.normal(k, x.shape)


def good(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [jax.random.normal(k, (m, n)) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def folded(key, sizes):
    return [jax.random.normal(jax.random.fold_in(key, i), (n,)) for i, n in enumerate(sizes)]
