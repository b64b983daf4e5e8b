import time
from contextlib import contextmanager
import torch
from torchvision.models import resnet18


@contextmanager
def stopwatch(name, results):
    start = time.perf_counter()
    yield
    results.setdefault(name, []).append(time.perf_counter() - start)


def benchmark(sizes, runs=50):
    net = resnet18().cuda().eval()
    results = {}
    with torch.inference_mode():
        for n in sizes:
            x = torch.randn(n, 3, 224, 224, device="cuda")
            for _ in range(10):
                net(x)
            for _ in range(runs):
                with stopwatch(f"batch {n}", results):  # expect: DP154
                    net(x)
    return {k: sum(v) / len(v) for k, v in results.items()}


for name, seconds in benchmark([1, 8, 32]).items():
    print(f"{name}: {seconds * 1000:.2f} ms")
