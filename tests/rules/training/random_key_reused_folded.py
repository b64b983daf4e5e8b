import jax
import jax.numpy as jnp


def folded_step(state, batch, rngs):
    step = state.step
    rngs = {name: jax.random.fold_in(rng, step) for name, rng in rngs.items()}

    def loss_fn(params):
        return jnp.mean(state.apply_fn({"params": params}, batch, rngs=rngs))

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)


def same_step(state, batch, key):
    key, subkey = jax.random.split(key)

    def loss_fn(params):
        return jnp.mean(state.apply_fn({"params": params}, batch, rngs={"dropout": subkey}))

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)


def train(state, batches):
    rngs = {"dropout": jax.random.PRNGKey(0)}
    key = jax.random.PRNGKey(1)
    folded = jax.jit(folded_step, donate_argnums=0)
    same = jax.jit(same_step, donate_argnums=0)
    for batch in batches:
        state = folded(state, batch, rngs)
        state = same(state, batch, key)  # expect: DP825
    return state
