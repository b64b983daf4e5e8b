import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, deterministic):
        x = nn.relu(nn.Dense(128)(x))
        return nn.Dense(10)(nn.Dropout(0.4)(x, deterministic=deterministic))


def logits_of(state, params, x, key, deterministic):
    return state.apply_fn({"params": params}, x, deterministic=deterministic, rngs={"dropout": key})


@jax.jit
def train_step(state, x, y, key):
    def loss_fn(params):
        logits = logits_of(state, params, x, key, False)
        accuracy = (logits.argmax(-1) == y).mean()
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), accuracy

    grads, _ = jax.grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads)


@jax.jit
def hits(state, x, y, key):
    logits = logits_of(state, state.params, x, key, False)
    return (logits.argmax(-1) == y).sum()  # expect: DP982


@jax.jit
def right_hits(state, x, y, key):
    logits = logits_of(state, state.params, x, key, True)
    return (logits.argmax(-1) == y).sum()


class Judge:
    def __init__(self, net, params):
        self.net, self.params = net, params

    def _scores(self, x, key, **options):
        return self.net.apply(self.params, x, rngs={"dropout": key}, **options)

    def score(self, x, y, key):
        scores = self.net.apply(self.params, x, deterministic=False, rngs={"dropout": key})
        return jnp.mean(jnp.argmax(scores, axis=-1) == y)  # expect: DP982

    def other(self, x, y, key):
        return jnp.mean(jnp.argmax(self._scores(x, key, deterministic=True), axis=-1) == y)
