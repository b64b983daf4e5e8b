import dataclasses
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


@dataclasses.dataclass(frozen=True)
class Settings:
    vocabulary: int = 50304
    width: int = 1024
    steps: int = 10_000


class Model(nn.Module):
    settings: Settings

    @nn.compact
    def __call__(self, tokens):
        settings = self.settings
        x = nn.Embed(settings.vocabulary, settings.width)(tokens)
        return nn.Dense(settings.vocabulary)(x)


def step(state, tokens):
    def loss_of(params):
        logits = state.apply_fn({"params": params}, tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    loss, grads = jax.value_and_grad(loss_of)(state.params)
    return state.apply_gradients(grads=grads), loss


@functools.partial(jax.jit, donate_argnums=(0,))
def donating_step(state, tokens):
    grads = jax.grad(lambda params: jnp.mean(state.apply_fn(params, tokens)))(state.params)
    return state.apply_gradients(grads=grads), 0.0


def train(state, batches, settings: Settings):
    compiled = jax.jit(step)  # expect: DP225
    for _ in range(settings.steps):
        state, loss = compiled(state, next(batches))
    for _ in range(settings.steps):
        state, loss = donating_step(state, next(batches))
    return state
