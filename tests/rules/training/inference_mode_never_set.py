import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Block(eqx.Module):
    layer: eqx.nn.Linear
    drop: eqx.nn.Dropout

    def __init__(self, key):
        self.layer = eqx.nn.Linear(8, 8, key=key)
        self.drop = eqx.nn.Dropout(0.3)

    def __call__(self, x, key):
        return self.drop(jax.nn.relu(self.layer(x)), key=key)


class Net(eqx.Module):
    blocks: list
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.blocks = [Block(k) for k in keys[1:]]
        self.head = eqx.nn.Linear(8, 4, key=keys[0])

    def __call__(self, x, key):
        for block, k in zip(self.blocks, jax.random.split(key, len(self.blocks))):
            x = block(x, k)
        return self.head(x)


def predict(model, x, key):
    return jax.vmap(model)(x, jax.random.split(key, x.shape[0]))


def loss_fn(model, x, y, key):
    logits = predict(model, x, key)
    accuracy = (logits.argmax(-1) == y).mean()
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), accuracy


@eqx.filter_jit
def step(model, state, tx, x, y, key):
    (loss, _), grads = eqx.filter_value_and_grad(loss_fn, has_aux=True)(model, x, y, key)
    updates, state = tx.update(grads, state, model)
    return eqx.apply_updates(model, updates), state, loss


@eqx.filter_jit
def hits(model, x, y, key):
    return (predict(model, x, key).argmax(-1) == y).sum()  # expect: DP982


class Judge:
    def __init__(self, model):
        self.model = model

    def score(self, x, y, key):
        logits = predict(self.model, x, key)
        best = jnp.argmax(logits, axis=-1)
        return jnp.mean(jnp.argmax(logits, axis=-1) == y), best  # expect: DP982


def main(x, y):
    model = Net(jax.random.PRNGKey(0))
    tx = optax.adam(1e-3)
    state = tx.init(eqx.filter(model, eqx.is_inexact_array))
    for number in range(100):
        key = jax.random.fold_in(jax.random.PRNGKey(1), number)
        model, state, loss = step(model, state, tx, x, y, key)
    key = jax.random.PRNGKey(2)
    return hits(model, x, y, key), Judge(model).score(x, y, jax.random.PRNGKey(3))
