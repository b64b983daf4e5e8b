import time

import torch


def compare(a: torch.Tensor, b: torch.Tensor):
    for _ in range(1000):
        out = torch.matmul(a, b)  # expect: DP252
    start = time.time()
    for _ in range(1000):
        out = torch.matmul(a, b)
    torch.cuda.synchronize()
    print("time", time.time() - start)
    return out


def under_no_grad(a: torch.Tensor, b: torch.Tensor):
    with torch.no_grad():
        start = time.time()
        for _ in range(1000):
            out = torch.matmul(a, b)
    stop = time.time()
    print(stop - start)
    return out


def epochs(a: torch.Tensor, b: torch.Tensor, batches):
    begin = time.time()
    for _ in range(100):
        first = batches[0]
        for batch in batches:
            first = first + batch + torch.matmul(a, b)  # expect: DP252
    print(time.time() - begin)
    return first


def now():
    torch.cuda.synchronize()
    return time.perf_counter()


def with_own_clock(a: torch.Tensor, b: torch.Tensor):
    start = now()
    for _ in range(1000):
        out = torch.matmul(a, b)
    print(now() - start)
    return out
