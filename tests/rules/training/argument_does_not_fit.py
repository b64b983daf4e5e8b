import abc
import functools

import jax
import torch
from torch import nn
from tqdm import tqdm


def update(critic, batch, backup_entropy=True, *, scale=1.0):
    return critic(batch).mean() * scale if backup_entropy else None


def free(critic, **options):
    return critic(options)


def wrapped(function):
    return lambda **options: function(1)


@wrapped
def decorated(x):
    return x


@torch.no_grad()
def evaluate(model, data):
    return model(data)


@functools.partial(jax.jit, static_argnames=("steps",))
def compiled(state, steps):
    return state


def train(critic, batch, options):
    update(critic, batch, soft_critic=True)  # expect: DP895
    update(critic, batch, backup_entropy=True, scale=2.0)
    update(critic, batch=batch)
    update(critic, **options)
    free(critic, anything=1)
    decorated(y=2)
    compiled(critic, steps=3)
    evaluate(critic, loader=batch)  # expect: DP895


def loop(loader):
    for i, batch in enumerate(tqdm(loader), total=len(loader)):  # expect: DP895
        print(i, batch)
    for i, batch in enumerate(tqdm(loader, total=len(loader)), start=1):
        print(i, batch)
    return sorted(loader, key=len, reverse=True)


class Base(nn.Module):
    def encode(self, x):
        return x

    def run(self, x):
        return self.encode(x, mask=None)

    def own(self, x):
        return self.decode(x, length=3)  # expect: DP895

    def decode(self, x, size=1):
        return x


class Masked(Base):
    def encode(self, x, mask=None):
        return x


# What the kernel's language makes of range() is its own.
@kernels.jit
def tiles(count, copy):
    for tile in range(0, count - 1, 1, unroll=1):
        copy(tile)


def plain_score(score, row):
    return score + row


def scored(score_function, score, row, scalars=None):
    if scalars is not None:
        return score_function(score, row=row, scalars=scalars)
    return score_function(score, row=row)


def scored_always(score_function, score, row):
    return score_function(score, row=row, scalars=None)  # expect: DP895


print(scored(plain_score, 1.0, 2), scored_always(plain_score, 1.0, 2))


# An abstract method stands for another one.
class Bounded(abc.ABC):
    @abc.abstractmethod
    def register_buffer(self, name, value):
        pass

    def keep(self, bound):
        self.register_buffer("bound", tensor=bound)


class Mean(nn.Module, Bounded):
    def forward(self, x):
        return x.mean() - self.bound
