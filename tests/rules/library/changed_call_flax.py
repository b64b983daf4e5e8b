# What `init` returns has no pop() of two values any more.
import flax
import flax.linen as nn
import jax


def create(model: nn.Module, key, x):
    variables = model.init(key, x)
    state, params = variables.pop("params")  # expect: DP308
    return state, params


def create_at_once(model: nn.Module, key, x):
    state, params = model.init(key, x).pop("params")
    return state, params


def create_new(model: nn.Module, key, x):
    variables = model.init(key, x)
    state, params = flax.core.pop(variables, "params")
    return state, params


def take(model: nn.Module, key, x):
    variables = model.init(key, x)
    params = variables.pop("params")
    return variables, params


def pair(table: dict):
    first, second = table.pop("both")
    return first, second


def of_tuple(model, key):
    low, high = model.limits(key).pop("range")
    return jax.numpy.array([low, high])
