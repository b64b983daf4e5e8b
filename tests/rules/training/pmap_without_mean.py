import functools

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@functools.partial(jax.pmap, axis_name="batch")
def step(params, state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state  # expect: DP915


@jax.pmap
def flax_step(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: loss_fn(p, x, y))(state.params)
    return state.apply_gradients(grads=grads), loss  # expect: DP915


def later(state, x, y):
    grads = jax.grad(loss_fn)(state.params, x, y)
    return state.apply_gradients(grads=grads)  # expect: DP915


parallel = jax.pmap(later, axis_name="i")


@functools.partial(jax.pmap, axis_name="batch")
def averaged(params, state, x, y):
    grads = jax.lax.pmean(jax.grad(loss_fn)(params, x, y), "batch")
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


def mean(tree):
    return jax.lax.pmean(tree, axis_name="batch")


@functools.partial(jax.pmap, axis_name="batch")
def averaged_by_helper(state, x, y):
    grads = mean(jax.grad(loss_fn)(state.params, x, y))
    return state.apply_gradients(grads=grads)


@jax.pmap
def evaluate(params, x, y):
    return loss_fn(params, x, y)


@functools.partial(jax.pmap, axis_name="batch")
def averaged_loss(params, state, x, y):
    grads = jax.grad(lambda p: jax.lax.pmean(loss_fn(p, x, y), "batch"))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


@functools.partial(jax.pmap, axis_name="batch")
def averages_metrics_only(state, x, y):
    (loss, logits), grads = jax.value_and_grad(lambda p: (loss_fn(p, x, y), x), has_aux=True)(state.params)
    metrics = jax.lax.pmean({"loss": loss, "accuracy": (logits == y).mean()}, axis_name="batch")
    return state.apply_gradients(grads=grads), metrics  # expect: DP915


class Learner:
    def __init__(self):
        self.tx = optax.adam(1e-3)
        self.step = jax.pmap(self._step, axis_name="devices")
        self.other = jax.pmap(self._averaged_step, axis_name="devices")

    def _gradients(self, params, x, y):
        return jax.grad(loss_fn)(params, x, y)

    def _apply(self, params, state, grads):
        updates, state = self.tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state  # expect: DP915

    def _step(self, params, state, x, y):
        grads = self._gradients(params, x, y)
        params, state = self._apply(params, state, grads)
        return params, state, jax.lax.pmean(optax.global_norm(grads), "devices")

    def _apply_averaged(self, params, state, grads):
        grads = jax.tree.map(functools.partial(jax.lax.pmean, axis_name="devices"), grads)
        updates, state = self.tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    def _averaged_step(self, params, state, x, y):
        return self._apply_averaged(params, state, self._gradients(params, x, y))


def from_elsewhere(grads):
    from other_library import synchronize

    return synchronize(grads)


@functools.partial(jax.pmap, axis_name="batch")
def averaged_elsewhere(state, x, y):
    grads = from_elsewhere(jax.grad(loss_fn)(state.params, x, y))
    return state.apply_gradients(grads=grads)


class Scanned:
    def __init__(self):
        self.run = jax.pmap(self._run, axis_name="replica")
        self.averaged = jax.pmap(self._averaged, axis_name="replica")

    def _one(self, carry, batch):
        params, state = carry
        loss, grads = jax.value_and_grad(loss_fn)(params, *batch)
        updates, state = tx.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), loss  # expect: DP915

    def _run(self, params, state, batches):
        carry, losses = jax.lax.scan(self._one, (params, state), batches)
        return carry, jax.lax.pmean(losses.mean(), "replica")

    def _one_averaged(self, carry, batch):
        params, state = carry
        grads = jax.lax.pmean(jax.grad(loss_fn)(params, *batch), "replica")
        updates, state = tx.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), None

    def _averaged(self, params, state, batches):
        return jax.lax.scan(self._one_averaged, (params, state), batches)[0]
