import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


def make_step(tx):
    @jax.jit
    def step(params, opt_state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, _ = tx.update(grads, opt_state, params)  # expect: DP849
        return optax.apply_updates(params, updates)

    return step


def in_loop(params, batches):
    tx = optax.adam(1e-2)
    opt_state = tx.init(params)
    for x, y in batches:
        grads = grad_fn(params, x, y)
        updates, new_state = tx.update(grads, opt_state)  # expect: DP849
        params = optax.apply_updates(params, updates)
    return params


grad_fn = jax.jit(jax.grad(loss_fn))


def old_one_returned(params, opt_state, x, y, tx):
    updates, new_opt_state = tx.update(grad_fn(params, x, y), opt_state)  # expect: DP849
    return optax.apply_updates(params, updates), opt_state


@jax.jit  # hint: DP225
def flax_step(state, batch):
    grads = jax.grad(lambda p: jnp.mean(state.apply_fn(p, batch)))(state.params)
    return state.apply_gradients(grads=grads), 0.0


def never_kept(state, batches):
    for batch in batches:
        new_state, loss = flax_step(state, batch)  # expect: DP849
        del new_state, loss


@jax.jit  # hint: DP225
def good_step(params, opt_state, x, y):
    updates, opt_state = optimizer.update(grad_fn(params, x, y), opt_state)
    return optax.apply_updates(params, updates), opt_state


optimizer = optax.adam(1e-3)


def state_not_kept(params, batches):
    opt_state = optimizer.init(params)
    for x, y in batches:
        params, _ = good_step(params, opt_state, x, y)  # expect: DP849
    return params


def kept(params, batches, state):
    opt_state = optimizer.init(params)
    for x, y in batches:
        params, opt_state = good_step(params, opt_state, x, y)
        state, loss = flax_step(state, x)
    return params, state


def one_inner_step(params, x, y):
    inner = optax.sgd(0.1, momentum=0.9)
    inner_state = inner.init(params)
    updates, _ = inner.update(grad_fn(params, x, y), inner_state)
    return optax.apply_updates(params, updates)


def stateless(params, state, x, y):
    plain = optax.sgd(0.1)
    updates, _ = plain.update(grad_fn(params, x, y), state)
    return optax.apply_updates(params, updates)


def renamed(params, batches):
    state = optimizer.init(params)
    for x, y in batches:
        updates, fresh = optimizer.update(grad_fn(params, x, y), state)
        params = optax.apply_updates(params, updates)
        state = fresh
    return params


def table(cache, batches):
    old = {}
    for batch in batches:
        first, _ = cache.update(batch, old)
        print(first)


def only_first(params, opt_state, x, y):
    updates = optimizer.update(grad_fn(params, x, y), opt_state)[0]  # expect: DP849
    return optax.apply_updates(params, updates)


# Clipping keeps nothing between steps.
def clipped(grads, state, limit):
    clip = optax.clip_by_global_norm(limit)
    grads, _ = clip.update(grads, state, None)
    return grads
