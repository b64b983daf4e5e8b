import jax
import jax.numpy as jnp
from jax import random

key = jax.random.PRNGKey(0)
x = jax.random.normal(key, (3,))
y = jax.random.uniform(key, (3,))  # expect: DP825


def init(key):
    w = random.normal(key, (64, 64))
    b = random.normal(key, (64,))  # expect: DP825
    return w, b


def after_split(rng):
    first, second = random.split(rng)
    return random.normal(first), random.normal(second), random.normal(rng)  # hint: DP825


def by_keyword(key):
    a = random.normal(key=key, shape=(2,))
    return a + random.normal(key=key, shape=(2,))  # expect: DP825


def in_branch(key, big):
    a = random.normal(key)
    if big:
        a = a + random.uniform(key)  # expect: DP825
    return a


def rebound(key):
    key, sub = random.split(key)
    w = random.normal(sub, (64, 64))
    key, sub = random.split(key)
    b = random.normal(sub, (64,))
    return w, b, key


def either(key, normal):
    if normal:
        return random.normal(key)
    return random.uniform(key)


def branches(key, normal):
    if normal:
        a = random.normal(key)
    else:
        a = random.uniform(key)
    return a


def in_loop(key, n):
    total = 0.0
    for _ in range(n):
        key, sub = random.split(key)
        total += random.normal(sub)
    return total


def folded(key):
    return random.normal(random.fold_in(key, 0)) + random.normal(random.fold_in(key, 1))


def array_of_keys(key):
    keys = random.split(key, 3)
    return random.normal(keys[0]) + random.normal(keys[1])


def chosen(key, flag):
    return random.normal(key) if flag else random.uniform(key)


def later(key):
    return jax.vmap(lambda k: random.normal(k))(random.split(key, 4)) + jnp.ones(4)


# ---- The same key in every iteration ----


def noise_in_loop(key, xs):
    out = []
    for x in xs:
        out.append(x + random.normal(key, (3,)))  # expect: DP825
    return out


@jax.jit  # hint: DP225
def train_step(state, x, key):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, rngs={"dropout": key})
        return (logits**2).mean()

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)


@jax.jit  # hint: DP225
def split_step(state, x, rng):
    rng, sub = random.split(rng)
    grads = jax.grad(lambda p: (p * random.normal(sub)).mean())(state.params)
    return state.apply_gradients(grads=grads)


@jax.jit  # hint: DP225
def folding_step(state, x, key):
    key = random.fold_in(key, state.step)
    grads = jax.grad(lambda p: (p * random.normal(key)).mean())(state.params)
    return state.apply_gradients(grads=grads)


def train(state, batches, seed):
    init_key, dropout_key = random.split(random.PRNGKey(seed))
    for x in batches:
        state = train_step(state, x, dropout_key)  # expect: DP825
        state = split_step(state, x, rng=init_key)  # expect: DP825
    return state


def train_folding(state, batches, key):
    for x in batches:
        state = folding_step(state, x, key)
    return state


def train_split(state, batches, key):
    for x in batches:
        key, sub = random.split(key)
        state = train_step(state, x, sub)
    return state


def train_by_step(state, batches, key):
    for i, x in enumerate(batches):
        state = train_step(state, x, random.fold_in(key, i))
    return state


def once(state, batches, key):
    for i, x in enumerate(batches):
        if i == 0:
            state = train_step(state, x, key)
    return state
