import jax
import jax.numpy as jnp


def advance(params, state):
    return state + 0.01 * jnp.tanh(params["w"] @ state)


def simulate(params, state, count):
    trace = []
    for _ in range(count):  # expect: DP221
        state = advance(params, state)
        trace.append(state)
    return jnp.stack(trace)


def layers(params, state, depth):
    for _ in range(depth):
        state = advance(params, state)
    return state


def make(observed, start):
    count = observed.shape[0]

    @jax.jit
    def loss(params):
        return jnp.mean((simulate(params, start, count) - observed) ** 2)

    return loss


def make_deep(start, depth):
    return jax.jit(lambda params: jnp.sum(layers(params, start, depth)))


def main(observed, start, params):
    return make(jnp.asarray(observed), start)(params), make_deep(start, 3)(params)
