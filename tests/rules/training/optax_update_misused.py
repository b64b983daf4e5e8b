import jax
import jax.numpy as jnp
import optax

decayed = optax.adamw(1e-3)
chained = optax.chain(optax.clip_by_global_norm(1.0), optax.lion(1e-4))
plain = optax.adam(1e-3)


@jax.jit
def without_parameters(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = decayed.update(grads, state)  # expect: DP950
    return optax.apply_updates(params, updates), state


class Learner:
    def __init__(self, params):
        self.tx = optax.adamw(1e-3, weight_decay=0.1)
        self.state = self.tx.init(params)

    def apply(self, params, grads):
        updates, self.state = self.tx.update(grads, self.state)  # expect: DP950
        return optax.apply_updates(params, updates)


@jax.jit
def in_a_chain(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = chained.update(grads, state)  # expect: DP950
    return optax.apply_updates(params, updates), state


@jax.jit
def gradients_applied(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = plain.update(grads, state)
    return optax.apply_updates(params, grads), state, updates, loss  # expect: DP950


@jax.jit
def right(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = decayed.update(grads, state, params)
    updates, state = plain.update(grads, state)
    updates, state = chained.update(grads, state, params=params)
    grads, state = plain.update(grads, state)
    return optax.apply_updates(params, grads), state


def settings(options, more):
    options.update(more)
    return options
