import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.a = nnx.Linear(784, 256, rngs=rngs)
        self.b = nnx.Linear(256, 10, rngs=rngs)

    def __call__(self, x):
        return self.b(nnx.relu(self.a(x)))


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def load(path):
    with np.load(path) as arrays:
        x, y = arrays["x"], arrays["y"]
    for start in range(0, len(x), 64):
        yield x[start : start + 64], y[start : start + 64]


def accuracy(model, batches):
    hits, count = 0, 0
    for x, y in batches:
        hits += (model(x).argmax(-1) == y).sum()  # expect: DP223
        count += len(y)
    return float(hits) / count


def eval_step(model, x, y):
    return (model(x).argmax(-1) == y).sum()  # expect: DP223


def evaluate(model, batches):
    return sum(eval_step(model, x, y) for x, y in batches)


def predict(model, x, size):
    outputs = []
    for start in range(0, len(x), size):
        outputs.append(model(x[start : start + size]).argmax(-1))  # expect: DP223
    return jnp.concatenate(outputs)


# ---- clean --------------------------------------------------------------------------------------------------------


@nnx.jit
def compiled_step(model, x, y):
    return (model(x).argmax(-1) == y).sum()


def evaluate_compiled(model, batches):
    return sum(compiled_step(model, x, y) for x, y in batches)


@jax.jit
def whole(graph, state, x):
    return nnx.merge(graph, state)(x)


def once(model):
    return model(jnp.zeros((1, 784))).shape


def each_epoch(model, optimizer, x, y, test, epochs):
    for _ in range(epochs):
        train_step(model, optimizer, x, y)
        print(model(test).shape)


def main(path, test, x):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    print(once(model))
    for _ in range(10):
        for a, b in load(path):
            train_step(model, optimizer, a, b)
        print(accuracy(model, load(test)), evaluate(model, load(test)), evaluate_compiled(model, load(test)))
    each_epoch(model, optimizer, x[:64], x[:64, 0], x, 10)
    return predict(model, x, 64)


if __name__ == "__main__":
    main("train.npz", "test.npz", np.zeros((1000, 784), np.float32))
