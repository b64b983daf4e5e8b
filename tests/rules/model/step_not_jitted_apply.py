import jax
import jax.numpy as jnp
from flax import linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.relu(nn.Dense(64)(x)))


model = Net()
predict = lambda params, x: model.apply({"params": params}, x)  # expect: DP223
fast = jax.jit(lambda params, x: model.apply({"params": params}, x))


def evaluate(params, loader):
    correct = []
    for x, y in loader:
        correct.append(jnp.argmax(predict(params, x), -1) == y)
        correct.append(jnp.argmax(fast(params, x), -1) == y)
    return correct


def direct(params, loader):
    for x, y in loader:
        print(model.apply({"params": params}, x).shape)  # expect: DP223


@jax.jit
def step(params, x):
    return model.apply({"params": params}, x)


def once(params, x):
    return model.apply({"params": params}, x)


def main(loader):
    params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))["params"]
    evaluate(params, loader)
    direct(params, loader)
    for x, y in loader:
        step(params, x)


main([])
