import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(8, 64, rngs=rngs)
        self.drop = nnx.Dropout(0.3, rngs=rngs)
        self.last = nnx.Linear(64, 2, rngs=rngs)

    def __call__(self, x):
        return self.last(self.drop(nnx.relu(self.first(x))))


def loss_fn(model, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def hits(model, x, y):
    return jnp.sum(model(x).argmax(-1) == y)


def evaluate(model, data):
    model.eval()  # expect: DP806
    return sum(int(hits(model, x, y)) for x, y in data)  # hint: DP116


def evaluate_and_return(model, data):
    model.eval()
    right = sum(int(hits(model, x, y)) for x, y in data)  # hint: DP116
    model.train()
    return right


def stays(data, test):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    model.train()
    for epoch in range(20):
        for x, y in data:
            train_step(model, optimizer, x, y)
        print(epoch, evaluate(model, test))


def restored(data, test):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    for epoch in range(20):
        for x, y in data:
            train_step(model, optimizer, x, y)
        print(epoch, evaluate_and_return(model, test))
