from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool = False):
        x = nn.relu(nn.Dense(256)(x))
        return nn.Dense(10)(x)


@partial(jax.jit, donate_argnums=0)
def train_step(state, x, y):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, x, train=True)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def eval_step(state, x, y):
    logits = state.apply_fn({"params": state.params}, x)  # expect: DP223
    return (logits.argmax(-1) == y).sum()


def evaluate(state, batches):
    hits, count = 0, 0
    for x, y in batches:
        hits += eval_step(state, x, y)
        count += len(y)
    return float(hits) / count


def predict(state, batches):
    outputs = []
    for x, _ in batches:
        outputs.append(state.apply_fn({"params": state.params}, x).argmax(-1))  # expect: DP223
    return jnp.concatenate(outputs)


class Evaluator:
    def __init__(self, state):
        self.state = state

    def logits(self, x):
        return self.state.apply_fn({"params": self.state.params}, x)  # expect: DP223

    def run(self, loader):
        return jnp.stack([self.logits(x).mean() for x, _ in loader])


# ---- clean --------------------------------------------------------------------------------------------------------


@jax.jit
def jitted_eval_step(state, x, y):
    logits = state.apply_fn({"params": state.params}, x)
    return (logits.argmax(-1) == y).sum()


def plain_eval_step(state, x):
    return state.apply_fn({"params": state.params}, x).argmax(-1)


compiled = jax.jit(plain_eval_step)


def evaluate_compiled(state, batches):
    return [jitted_eval_step(state, x, y) + compiled(state, x).sum() for x, y in batches]


def inspect(state, x):
    return state.apply_fn({"params": state.params}, x)


def load_batches(name):
    import numpy as np

    with np.load(name) as arrays:
        x, y = arrays["x"], arrays["y"]
    for start in range(0, len(x), 64):
        yield x[start : start + 64], y[start : start + 64]


def main(data, test):
    model = Net()
    params = model.init(jax.random.key(0), jnp.zeros((1, 784)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    print(inspect(state, jnp.zeros((1, 784))).shape)
    for epoch in range(10):
        for x, y in data:
            state, loss = train_step(state, x, y)
        print(evaluate(state, test), evaluate_compiled(state, test))
    print(predict(state, test), Evaluator(state).run(test))


if __name__ == "__main__":
    main(load_batches("train"), load_batches("test"))
