import jax
import optax


def make_step(model, tx):
    @jax.jit
    def step(state, x, y):
        def loss_fn(params):
            variables = {"params": params, "batch_stats": state.batch_stats}
            logits, _ = model.apply(variables, x, mutable=["batch_stats"])  # expect: DP852
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        grads = jax.grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads)

    return step


def make_first(model):
    @jax.jit
    def step(state, x, y):
        def loss_fn(params):
            variables = {"params": params, "batch_stats": state.batch_stats}
            logits = model.apply(variables, x, mutable=("batch_stats",))[0]  # expect: DP852
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        grads = jax.grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads)

    return step
