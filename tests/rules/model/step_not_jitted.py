from functools import partial

import jax
import jax.numpy as jnp
from jax import grad, value_and_grad


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


@jax.jit
def fast_loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


def on_the_spot(params, batches):
    for batch in batches:
        params = params - 0.1 * jax.grad(loss)(params, batch)  # expect: DP223
    return params


def under_a_name(params, batches):
    gradient = value_and_grad(loss)
    for batch in batches:
        value, grads = gradient(params, batch)  # expect: DP223
        params = params - 0.1 * grads
    return params


def update(params, batch):
    grads = grad(loss)(params, batch)  # expect: DP223
    return params - 0.1 * grads


def through_a_function(params, batches):
    for batch in batches:
        params = update(params, batch)
    return params


@jax.jit
def step(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


@partial(jax.jit, static_argnums=(2,))
def step_of(params, batch, rate):
    return params - rate * jax.grad(loss)(params, batch)


def later(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


def compiled(params, batches):
    fast = jax.jit(jax.grad(loss))
    fast_step = jax.jit(later)
    for batch in batches:
        params = step(params, batch)
        params = step_of(params, batch, 0.1)
        params = params - 0.1 * fast(params, batch)
        params = fast_step(params, batch)
    return params


def of_compiled(params, batches):
    for batch in batches:
        params = params - 0.1 * jax.grad(fast_loss)(params, batch)
    return params


def once(params, batch):
    return jax.grad(loss)(params, batch)


def scanned(params, batches):
    def body(params, batch):
        return params - 0.1 * jax.grad(loss)(params, batch), None

    return jax.lax.scan(body, params, batches)


def minibatches(params, batches):
    for batch in batches:  # perhaps whoever calls this is compiled
        params = params - 0.1 * jax.grad(loss)(params, batch)
    return params


def main():
    params = jnp.ones(3)
    batches = jnp.ones((9, 2, 3))
    on_the_spot(params, batches)
    under_a_name(params, batches)
    through_a_function(params, batches)
    compiled(params, batches)
    of_compiled(params, batches)
    scanned(params, batches)
    once(params, batches[0])


if __name__ == "__main__":
    main()
