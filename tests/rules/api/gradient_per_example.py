import jax
import jax.numpy as jnp
import torch


def loss(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


def per_example(params, xs, ys):
    grad_fn = jax.jit(jax.grad(loss))
    rows = []
    for x, y in zip(xs, ys):
        rows.append(grad_fn(params, x, y))  # expect: DP117
    return jnp.stack(rows)


def by_index(params, xs, ys):
    rows = []
    grad_fn = jax.grad(loss)
    for i in range(len(xs)):
        rows.append(grad_fn(params, xs[i], ys[i]))  # expect: DP117
    return jnp.stack(rows)


class Private:
    def __init__(self, params):
        self.params = params
        self.grad_fn = jax.jit(jax.value_and_grad(loss))

    def norms(self, xs, ys):
        norms = []
        for x, y in zip(xs, ys):
            _, g = self.grad_fn(self.params, x, y)  # expect: DP117
            norms.append(jnp.linalg.norm(g))
        return norms


def mapped(params, xs, ys):
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, xs, ys)


def trained(params, xs, ys):
    grad_fn = jax.jit(jax.grad(loss))
    history = []
    for x, y in zip(xs, ys):
        params = params - 0.1 * grad_fn(params, x, y)
        history.append(params)
    return history


def accumulated(params, batches):
    grad_fn = jax.jit(jax.grad(loss))
    total = jnp.zeros_like(params)
    for x, y in batches:
        total = total + grad_fn(params, x, y)
    return total


def other(params, xs):
    out = []
    forward = jax.jit(lambda p, x: x @ p)
    for x in xs:
        out.append(forward(params, x))
    return out


def of_batches(model: torch.nn.Module, criterion, optimizer, inputs: torch.Tensor, targets: torch.Tensor):
    for x, y in zip(inputs, targets):
        optimizer.zero_grad()
        for i in range(len(x)):
            loss = criterion(model(x[i]), y[i])
            loss.backward()  # expect: DP117
        optimizer.step()


def per_step(model: torch.nn.Module, criterion, optimizer, inputs: torch.Tensor, targets: torch.Tensor):
    for x, y in zip(inputs, targets):
        for i in range(len(x)):
            optimizer.zero_grad()
            loss = criterion(model(x[i]), y[i])
            loss.backward()
            optimizer.step()
