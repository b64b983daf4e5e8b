import jax


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        logits, new_vars = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats}, batch["x"], mutable=["batch_stats"]
        )
        return ((logits - batch["y"]) ** 2).mean(), new_vars

    (loss, new_vars), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)  # expect: DP852
    return state.apply_gradients(grads=grads), loss


@jax.jit
def nested(state, batch):
    def loss_fn(params):
        logits, updates = state.apply_fn({"params": params}, batch["x"], mutable=["batch_stats"])
        return ((logits - batch["y"]) ** 2).mean(), (logits, updates)

    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)
    (loss, (logits, stats)), grads = grad_fn(state.params)  # expect: DP852
    return state.apply_gradients(grads=grads), loss, logits


def by_hand(model, variables, x):
    y, updates = model.apply(variables, x, mutable="batch_stats")  # expect: DP852
    return y


@jax.jit
def right(state, batch):
    def loss_fn(params):
        logits, updates = state.apply_fn({"params": params}, batch["x"], mutable=["batch_stats"])
        return ((logits - batch["y"]) ** 2).mean(), updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"]), loss


@jax.jit
def whole_aux(state, batch):
    def loss_fn(params):
        logits, updates = state.apply_fn({"params": params}, batch["x"], mutable=["batch_stats"])
        return ((logits - batch["y"]) ** 2).mean(), (logits, updates)

    aux, grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads, batch_stats=aux[1][1]["batch_stats"]), aux[0]


def on_purpose(model, variables, x):
    y, _ = model.apply(variables, x, mutable=["batch_stats"])
    return y


def intermediates(model, variables, x):
    y, state = model.apply(variables, x, mutable=["intermediates"])
    return y


def returned(model, variables, x):
    y, updates = model.apply(variables, x, mutable=["batch_stats"])
    return y, updates
