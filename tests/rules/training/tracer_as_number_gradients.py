import functools

import jax
import jax.numpy as jnp
import optax


class Learner:
    def __init__(self, tx):
        self.tx = tx

    def loss(self, params, batch):
        return jnp.mean((batch @ params) ** 2)

    def apply_if_finite(self, params, state, grads):
        ok = jnp.isfinite(optax.global_norm(grads))
        if ok:  # expect: DP826
            updates, state = self.tx.update(grads, state, params)
            params = optax.apply_updates(params, updates)
        return params, state

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, params, state, batch):
        loss, grads = jax.value_and_grad(self.loss)(params, batch)
        return self.apply_if_finite(params, state, grads), loss


@jax.jit
def clipped(params, x):
    gradient = jax.grad(lambda p: jnp.mean((x @ p) ** 2))
    grads = gradient(params)
    norm = jnp.linalg.norm(grads)
    if norm > 1.0:  # expect: DP826
        grads = grads / norm
    return jnp.where(norm > 1.0, grads / norm, grads)
