import contextlib
import time

import jax
import jax.numpy as jnp

KERNELS = {}


def kernel(name):
    def add(fn):
        KERNELS[name] = jax.jit(fn)
        return fn

    return add


@kernel("square")
def square(x):
    return x @ x


@jax.jit
def product(x):
    return jnp.tanh(x @ x)


class Watch:
    def __init__(self):
        self.started = 0.0
        self.total = 0.0

    def start(self):
        self.started = time.perf_counter()

    def stop(self):
        self.total += time.perf_counter() - self.started


class WaitingWatch:
    def start(self):
        self.started = time.perf_counter()

    def stop(self, result):
        jax.block_until_ready(result)
        return time.perf_counter() - self.started


@contextlib.contextmanager
def timed(label):
    begin = time.perf_counter()
    yield
    print(label, time.perf_counter() - begin)


def run_table(x):
    for name in KERNELS:
        run_one(KERNELS[name], x)


def run_one(fn, x):
    begin = time.perf_counter()
    y = fn(x)
    return y, time.perf_counter() - begin  # expect: DP154


def run_waiting(fn, x):
    begin = time.perf_counter()
    y = fn(x).block_until_ready()
    return y, time.perf_counter() - begin


def with_watch(x):
    watch = Watch()
    watch.start()
    y = product(x)
    watch.stop()  # expect: DP154
    return y, watch.total


def with_waiting_watch(x):
    watch = WaitingWatch()
    watch.start()
    y = product(x)
    return watch.stop(y)


def with_manager(x):
    with timed("product"):  # expect: DP154
        y = product(x)
    return y


def with_waiting_manager(x):
    with timed("product"):
        y = product(x)
        jax.block_until_ready(y)
    return y


class Bench:
    def measure(self, x):
        self.begin = time.time()
        y = product(x)
        return y, time.time() - self.begin  # expect: DP154


def plain(fn, x):
    begin = time.perf_counter()
    y = fn(x)
    return y, time.perf_counter() - begin


def use_plain(x):
    return plain(sorted, x)
