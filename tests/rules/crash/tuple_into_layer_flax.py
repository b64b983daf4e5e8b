import einops
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class Classifier(nn.Module):
    classes: int = 10

    @nn.compact
    def __call__(self, x, train: bool = True):
        x = nn.Conv(features=16, kernel_size=(3, 3))(x)
        x = nn.BatchNorm(use_running_average=not train)(x)  # expect: DP610
        x = x.reshape((x.shape[0], -1))
        x = nn.Dropout(0.5, deterministic=not train)(x)  # expect: DP610
        return nn.Dense(self.classes)(x)  # expect: DP601


class State(train_state.TrainState):
    batch_stats: dict


model = Classifier()
images = jnp.ones((8, 16, 16, 3))
variables = model.init(jax.random.PRNGKey(0), images, train=False)
params, stats = variables["params"], variables["batch_stats"]


def without_mutable():
    return model.apply({"params": params, "batch_stats": stats}, images, train=True, rngs={"dropout": jax.random.key(1)})


def without_key():
    return model.apply({"params": params, "batch_stats": stats}, images, mutable=["batch_stats"])


@jax.jit
def step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params, "batch_stats": state.batch_stats}, batch, train=False)
        return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.zeros(8, int)).mean()

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


def of_another_size(larger):
    state = State.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3), batch_stats=stats)
    state = step(state, larger)
    return step(state, larger)


without_mutable()
without_key()
of_another_size(jnp.ones((8, 20, 20, 3)))


class Quiet(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool = True):
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(4)(x)


quiet = Quiet()
rows = jnp.ones((8, 16))
known = quiet.init(jax.random.PRNGKey(0), rows, train=False)


def silent(key, options, mutable):
    everything = {"params": known["params"], "batch_stats": known["batch_stats"]}
    a, updates = quiet.apply(everything, rows, mutable=["batch_stats"], rngs={"dropout": key})
    b = quiet.apply(known, rows, train=False)
    c = quiet.apply(everything, rows, train=False, mutable=False)
    d = quiet.apply(everything, rows, **options)
    e = quiet.apply(everything, rows, mutable=mutable, rngs={"dropout": key})
    f = quiet.apply({"params": known["params"]}, rows, mutable=["batch_stats"], rngs={"dropout": key})
    return a, b, c, d, e, f, updates


class NoStatistics(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        return nn.BatchNorm(use_running_average=not train)(x)  # expect: DP610


NoStatistics().apply({"params": {}}, rows, train=False)


def force(params, x):
    return jnp.tanh(x @ params["w"] + params["b"])


def mapped(params, positions):
    jax.vmap(force, in_axes=(None, 0))(params, positions)
    return jax.vmap(force)(params, positions)  # expect: DP602


mapped({"w": jnp.ones((3, 16)), "b": jnp.zeros((16,))}, jnp.ones((50, 3)))
patches = einops.rearrange(images, "n (h p) (w q) c -> n (h w) (p q c)", p=5, q=5)  # expect: DP603
