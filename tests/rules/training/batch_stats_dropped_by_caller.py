import jax
import optax


def forward_loss(params, state, batch):
    variables = {"params": params, "batch_stats": state.batch_stats}
    logits, updated = state.apply_fn(variables, batch["x"], train=True, mutable=["batch_stats"])
    return ((logits - batch["y"]) ** 2).mean(), (logits, updated)


@jax.jit
def train_step(state, batch):
    grad_fn = jax.value_and_grad(forward_loss, has_aux=True)
    (loss, (logits, _)), grads = grad_fn(state.params, state, batch)  # expect: DP852
    return state.apply_gradients(grads=grads), loss


class Trainer:
    def __init__(self, model, tx):
        self.model = model
        self.tx = tx

    def _loss(self, params, stats, x, y):
        logits, updates = self.model.apply({"params": params, "batch_stats": stats}, x, mutable=["batch_stats"])
        return ((logits - y) ** 2).mean(), updates

    def step(self, params, stats, state, x, y):
        (loss, new_stats), grads = jax.value_and_grad(self._loss, has_aux=True)(params, stats, x, y)  # expect: DP852
        updates, state = self.tx.update(grads, state, params)
        return optax.apply_updates(params, updates), stats, state, loss


class Keeper:
    def __init__(self, model, tx):
        self.model = model
        self.tx = tx

    def _loss(self, params, stats, x, y):
        logits, updates = self.model.apply({"params": params, "batch_stats": stats}, x, mutable=["batch_stats"])
        return ((logits - y) ** 2).mean(), updates

    def step(self, params, stats, state, x, y):
        (loss, new), grads = jax.value_and_grad(self._loss, has_aux=True)(params, stats, x, y)
        updates, state = self.tx.update(grads, state, params)
        return optax.apply_updates(params, updates), new["batch_stats"], state, loss


def measure(state, batch):
    variables = {"params": state.params, "batch_stats": state.batch_stats}
    logits, _ = state.apply_fn(variables, batch["x"], train=True, mutable=["batch_stats"])
    return logits
