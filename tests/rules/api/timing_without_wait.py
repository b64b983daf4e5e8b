import time
from time import perf_counter

import jax
import jax.numpy as jnp
import torch
import torch.nn as nn

model = nn.Linear(1024, 1024).cuda()


def measure(x):
    start = time.time()
    y = model(x)
    print("took", time.time() - start)  # expect: DP154
    return y


def two_names(x):
    start = perf_counter()
    y = model(x)
    end = perf_counter()  # expect: DP154
    return y, end - start


def in_loop(xs):
    times = []
    for x in xs:
        t0 = time.perf_counter()
        with torch.no_grad():
            model(x)
        times.append(time.perf_counter() - t0)  # expect: DP154
    return times


def waits(x):
    torch.cuda.synchronize()
    start = time.time()
    y = model(x)
    torch.cuda.synchronize()
    return y, time.time() - start


def reads(x):
    start = time.time()
    loss = model(x).sum().item()  # hint: DP232
    return loss, time.time() - start


def copies(x):
    start = time.time()
    y = model(x).cpu()
    return y, time.time() - start


def scaled(xs, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    start = time.time()
    for x in xs:
        optimizer.zero_grad()
        scaler.scale(model(x).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    return time.time() - start


def laps(xs):
    before = time.time()
    for x in xs:
        y = model(x)  # hint: DP232
        left = time.time() - before
        before = time.time()
        print(left, y.sum().item())


def on_the_cpu(x):
    small = nn.Linear(8, 8)
    start = time.time()
    y = small(x)
    return y, time.time() - start


def loading_only(loader):
    start = time.time()
    for x in loader:
        waited = time.time() - start
        model(x)
        start = time.time()
    return waited


@jax.jit
def square(x):
    return jnp.dot(x, x)


def compiled(x):
    start = time.time()
    y = square(x)
    print(time.time() - start)  # expect: DP154
    return y


def compiled_and_waited(x):
    start = time.time()
    square(x).block_until_ready()
    print(time.time() - start)


def bench(fn, args, reps):
    fn(*args).block_until_ready()
    start = time.perf_counter()
    for _ in range(reps):
        out = fn(*args)
    elapsed = time.perf_counter() - start  # expect: DP154
    return elapsed, out


def bench_right(fn, args, reps):
    jax.block_until_ready(fn(*args))
    start = time.perf_counter()
    for _ in range(reps):
        out = fn(*args)
    out.block_until_ready()
    return time.perf_counter() - start


def bench_of_python(fn, args, reps):
    start = time.perf_counter()
    for _ in range(reps):
        fn(*args)
    return time.perf_counter() - start


def total_since_restart(model: nn.Module, x: torch.Tensor, steps):
    model = model.cuda()
    x = x.cuda()
    total = 0.0
    start = time.time()
    for step in range(steps):
        if step % 100 == 0:
            torch.cuda.synchronize()
            total += time.time() - start
            start = time.time()
        loss = model(x).mean()
        loss.backward()
        passed = total + time.time() - start
        print(passed, loss.item())  # hint: DP402


# A limit of time is no measurement.
def until(model: nn.Module, x: torch.Tensor, limit):
    model = model.cuda()
    x = x.cuda()
    start = time.monotonic()
    result = model(x)
    passed = time.monotonic() - start
    if passed > limit:
        print(f"stopped after {passed} seconds")
        return None
    return result


def until_late(model: nn.Module, x: torch.Tensor, limit):
    model = model.cuda()
    x = x.cuda()
    start = time.monotonic()
    result = model(x)
    return None if time.monotonic() - start > limit else result


def until_shown(model: nn.Module, x: torch.Tensor, limit):
    model = model.cuda()
    x = x.cuda()
    start = time.monotonic()
    model(x)
    passed = time.monotonic() - start  # expect: DP154
    return passed, passed > limit
