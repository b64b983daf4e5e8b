import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState


def make_optimizer(rate, steps):
    schedule = optax.warmup_cosine_decay_schedule(0.0, rate, 100, steps)
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(b2=0.98),
        optax.add_decayed_weights(0.01),
        optax.scale_by_schedule(schedule),  # expect: DP950
    )


def for_state(model, params):
    tx = optax.chain(optax.scale_by_adam(), optax.scale(1e-3))  # expect: DP950
    return TrainState.create(apply_fn=model.apply, params=params, tx=tx)


def from_list(clip):
    parts = [optax.scale_by_rms(), optax.scale_by_schedule(optax.constant_schedule(1e-3))]  # expect: DP950
    if clip:
        parts.insert(0, optax.clip(clip))
    return optax.chain(*parts)


RATE = optax.cosine_decay_schedule(3e-4, 10_000)
by_lambda = optax.chain(optax.trace(0.9), optax.scale_by_schedule(lambda step: RATE(step)))  # expect: DP950

twice = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3), optax.scale(-1.0))  # expect: DP950
twice_by_rate = optax.chain(optax.scale_by_adam(), optax.scale_by_learning_rate(RATE), optax.scale(-0.5))  # expect: DP950

# ---- clean --------------------------------------------------------------------------------------------------------

negated = optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(lambda step: -RATE(step)))
negative = optax.chain(optax.scale_by_adam(), optax.scale(-1e-3))
split = optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(RATE), optax.scale(-1.0))
by_rate = optax.chain(optax.scale_by_adam(), optax.scale_by_learning_rate(RATE))
scaled = optax.chain(optax.adam(RATE), optax.scale(0.5))
whole = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(RATE))
rates_below_zero = optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(optax.constant_schedule(-1e-3)))
# Part of another one, which negates.
inner = optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(RATE))
outer = optax.chain(inner, optax.scale(-1.0))


def preconditioner():
    return optax.chain(optax.scale_by_adam(), optax.scale(0.5))


def with_preconditioner(rate):
    return optax.chain(preconditioner(), optax.scale_by_learning_rate(rate))


def without_rate():
    return optax.chain(optax.clip_by_global_norm(1.0), optax.scale_by_adam())


def unknown_rate(rate):
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(rate))


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def fit(model, batches):
    optimizer = nnx.Optimizer(model, make_optimizer(1e-3, 1000), wrt=nnx.Param)
    for x, y in batches:
        train_step(model, optimizer, x, y)
