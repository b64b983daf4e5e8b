import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.softmax(nn.Dense(10)(nn.relu(nn.Dense(32)(x))))


class Logits(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.relu(nn.Dense(32)(x)))


model = Net()
right = Logits()


def losses(params, x, y):
    probs = jax.nn.softmax(x @ params)
    a = optax.softmax_cross_entropy(probs, y)  # expect: DP801
    b = optax.softmax_cross_entropy_with_integer_labels(jax.nn.softmax(x @ params), y)  # expect: DP801
    out = model.apply({"params": params}, x)
    c = optax.softmax_cross_entropy_with_integer_labels(out, y)  # expect: DP801
    p = jax.nn.sigmoid(x @ params)
    d = optax.sigmoid_binary_cross_entropy(p, y)  # expect: DP802
    e = optax.softmax_cross_entropy(x @ params, y)
    f = optax.softmax_cross_entropy_with_integer_labels(right.apply({"params": params}, x), y)
    g = optax.sigmoid_binary_cross_entropy(x @ params, y)
    return jnp.mean(a + b + c + d + e + f + g)
