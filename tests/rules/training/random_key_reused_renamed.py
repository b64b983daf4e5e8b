import jax
import jax.numpy as jnp


def dense(key, n_in, n_out):
    return jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)


def init(key):
    enc_key = dec_key = key
    return {
        "enc": dense(enc_key, 784, 256),
        "dec": dense(dec_key, 256, 784),  # expect: DP825
    }


def init_well(key):
    enc_key, dec_key = jax.random.split(key)
    first = enc_key
    return {"enc": dense(first, 784, 256), "dec": dense(dec_key, 256, 784)}


def two_draws(key):
    other = key
    noise = jax.random.normal(key, (4,))
    return noise + jax.random.uniform(other, (4,))  # expect: DP825


def renamed_after_split(key):
    old = key
    key, sub = jax.random.split(key)
    return jax.random.normal(sub, (4,)), jax.random.normal(key, (4,)), old is key


@jax.jit
def step(params, x, key):
    return params + jax.random.normal(key, params.shape) * x.mean()


def fit(params, batches):
    init_key, drop_key = jax.random.split(jax.random.key(0))
    params = params + dense(init_key, 4, 4)
    for number, x in enumerate(batches):
        key = drop_key
        params = step(params, x, key)  # hint: DP825
    for number, x in enumerate(batches):
        key = jax.random.fold_in(drop_key, number)
        params = step(params, x, key)
    return params
