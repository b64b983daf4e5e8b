import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from tqdm import tqdm

tx = optax.adam(1e-3)


@jax.jit
def train_step(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((p * x) ** 2))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


def flax_step(state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((p * x) ** 2))(state.params)
    grads = jax.lax.pmean(grads, "devices")
    return state.apply_gradients(grads=grads), {"loss": loss}


p_step = jax.pmap(flax_step)  # hint: DP225


@jax.jit
def predict(params, x):
    return jnp.dot(params, x)


def as_float(params, state, batches):
    losses = []
    for x in tqdm(batches):
        params, state, loss = train_step(params, state, x)
        losses.append(float(loss))  # expect: DP116
    return params, losses


def metrics(state, batches):
    history = []
    for x in batches:
        state, m = p_step(state, x)
        history.append({k: float(v) for k, v in m.items()})  # expect: DP116
    return state, history


def fetched(state, batches):
    for i, x in enumerate(batches):
        state, m = p_step(state, x)
        m = jax.device_get(m)  # expect: DP116
        yield m["loss"]


def item(params, state, batches):
    total = 0.0
    for x in batches:
        params, state, loss = train_step(params, state, x)
        total += loss.item()  # expect: DP116
        mean = np.mean(loss)
    return params, total, mean


def tree(state, batches, log):
    for x in batches:
        state, m = p_step(state, x)
        log.append(jax.tree_util.tree_map(np.asarray, m))  # expect: DP116


class Trainer:
    def __init__(self, params):
        self.params = params
        self.state = tx.init(params)

    def update(self, x):
        self.params, self.state, loss = train_step(self.params, self.state, x)
        return loss

    def fit(self, batches):
        total = 0.0
        for x in batches:
            loss = self.update(x)
            total += float(loss)  # hint: DP116
        return total


def printed(params, state, batches):
    for x in batches:
        params, state, loss = train_step(params, state, x)
        print(f"loss {loss:.3f}")  # hint: DP116
    return params


def evaluated(params, batches):
    out = []
    for x in batches:
        out.append(np.asarray(predict(params, x)))  # expect: DP116
    return np.concatenate(out)


def played(params, state, env):
    obs = env.reset()
    for _ in range(1000):
        action = predict(params, obs)
        obs, reward, done, info = env.step(int(action))  # hint: DP116


def collected(params, state, batches):
    losses = []
    for x in batches:
        params, state, loss = train_step(params, state, x)
        losses.append(loss)
    return params, jax.device_get(losses)


def sometimes(params, state, batches):
    for i, x in enumerate(batches):
        params, state, loss = train_step(params, state, x)
        if i % 100 == 0:
            print(i, float(loss))
    return params


def skipped(params, state, batches):
    for i, x in enumerate(batches):
        params, state, loss = train_step(params, state, x)
        if i % 100:
            continue
        print(i, float(loss))
    return params


def epochs(params, state, batches):
    for epoch in range(100):
        for x in batches:
            params, state, loss = train_step(params, state, x)
        print(epoch, float(loss))
    return params


def measured(params, batches):
    times = []
    for x in batches:
        start = time.time()
        predict(params, x).block_until_ready()
        times.append(time.time() - start)
    return times


def of_numpy(params, state, batches):
    for x in batches:
        x = np.asarray(x)
        params, state, loss = train_step(params, state, x)
        print(x.shape, float(len(x)))
    return params


def few(params, state, x):
    for _ in range(3):
        params, state, loss = train_step(params, state, x)
        print(float(loss))
    return params
