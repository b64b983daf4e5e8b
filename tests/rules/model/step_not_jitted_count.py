"""So many of the batches."""
import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


class Learner:
    def __init__(self, params):
        self.optimizer = optax.adam(1e-3)
        self.params = params
        self.state = self.optimizer.init(params)

    def update(self, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(self.params, x, y)  # expect: DP223
        updates, self.state = self.optimizer.update(grads, self.state)
        self.params = optax.apply_updates(self.params, updates)
        return loss

    def fit(self, batches, steps):
        for _, (x, y) in zip(range(steps), batches):
            self.update(x, y)
