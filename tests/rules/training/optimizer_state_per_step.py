import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)
plain = optax.sgd(0.1)


def loss_fn(params, x):
    return jnp.mean((params * x) ** 2)


@jax.jit
def step(params, x):
    opt_state = optimizer.init(params)  # expect: DP850
    grads = jax.grad(loss_fn)(params, x)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates)


@jax.jit
def grad_of(params, x):
    return jax.grad(loss_fn)(params, x)


def in_loop(params, batches):
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    for x in batches:
        state = tx.init(params)  # expect: DP850
        updates, state = tx.update(grad_of(params, x), state, params)
        params = optax.apply_updates(params, updates)
    return params


class Trainer:
    def __init__(self, params):
        self.params = params
        self.tx = optax.rmsprop(1e-3)

    def step(self, x):
        state = self.tx.init(self.params)  # expect: DP850
        updates, _ = self.tx.update(grad_of(self.params, x), state, self.params)
        self.params = optax.apply_updates(self.params, updates)


def run(trainer_params, batches):
    trainer = Trainer(trainer_params)
    for x in batches:
        trainer.step(x)


def right(params, batches):
    opt_state = optimizer.init(params)
    for x in batches:
        updates, opt_state = optimizer.update(grad_of(params, x), opt_state)
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def first_step(params, x):
    opt_state = optimizer.init(params)
    updates, opt_state = optimizer.update(jax.grad(loss_fn)(params, x), opt_state)
    return optax.apply_updates(params, updates), opt_state


def folds(params, splits):
    scores = []
    for split in splits:
        state = optimizer.init(params)
        for x in split:
            updates, state = optimizer.update(grad_of(params, x), state)
            params = optax.apply_updates(params, updates)
        scores.append(params)
    return scores


@jax.jit
def stateless(params, x):
    state = plain.init(params)
    updates, state = plain.update(jax.grad(loss_fn)(params, x), state)
    return optax.apply_updates(params, updates)


@jax.jit
def scanned(params, xs):
    state = optimizer.init(params)

    def body(carry, x):
        params, state = carry
        updates, state = optimizer.update(jax.grad(loss_fn)(params, x), state)
        return (optax.apply_updates(params, updates), state), None

    return jax.lax.scan(body, (params, state), xs)[0][0]


def of_others(model, batches, key):
    for x in batches:
        variables = model.init(key)
        model.update(x, variables)
