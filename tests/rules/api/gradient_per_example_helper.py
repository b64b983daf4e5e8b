import jax
import jax.numpy as jnp
import optax


def example_loss(params, x, y):
    return jnp.mean((x @ params["w"] - y) ** 2)


def clipped(params, x, y, clip):
    grad = jax.grad(example_loss)(params, x, y)
    scale = jnp.minimum(1.0, clip / (optax.global_norm(grad) + 1e-12))
    return jax.tree.map(lambda g: g * scale, grad)


@jax.jit
def summed(params, xs, ys, clip):
    grads = [clipped(params, xs[i], ys[i], clip) for i in range(xs.shape[0])]  # expect: DP117
    return jax.tree.map(lambda *g: sum(g), *grads)


gradient = jax.jit(jax.grad(example_loss))


def flat(params, x, y):
    return jnp.concatenate([g.ravel() for g in jax.tree.leaves(gradient(params, x, y))])


def all_flat(params, xs, ys):
    return jnp.stack([flat(params, x, y) for x, y in zip(xs, ys)])  # expect: DP117


def norms(params, xs, ys):
    found = []
    for i in range(len(xs)):
        found.append(clipped(params, xs[i], ys[i], 1.0))  # expect: DP117
    return found


# ---- clean --------------------------------------------------------------------------------------------------------


@jax.jit
def mapped(params, xs, ys, clip):
    grads = jax.vmap(clipped, in_axes=(None, 0, 0, None))(params, xs, ys, clip)
    return jax.tree.map(lambda g: g.sum(axis=0), grads)


def losses(params, xs, ys):
    return [len(x) for x, y in zip(xs, ys)]


def of_each_client(clients, x, y):
    return [clipped(client, x, y, 1.0) for client in clients]


def trained(params, xs, ys):
    for i in range(len(xs)):
        grads = clipped(params, xs[i], ys[i], 1.0)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return params


def some(params, xs, ys):
    return [clipped(params, xs[i], ys[i], 1.0) for i in range(3)]
