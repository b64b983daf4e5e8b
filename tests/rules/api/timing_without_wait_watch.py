# A stopwatch that is made once, and reads its clock in a method.
import time

import torch
from torch import nn


class Watch:
    def __init__(self):
        self.samples = []

    def _now(self):
        return time.perf_counter()

    def __enter__(self):
        self._started = self._now()
        return self

    def __exit__(self, *error):
        self.samples.append(self._now() - self._started)
        return False


class WaitingWatch:
    def __init__(self):
        self.samples = []

    def _now(self):
        torch.cuda.synchronize()
        return time.perf_counter()

    def __enter__(self):
        self._started = self._now()
        return self

    def __exit__(self, *error):
        self.samples.append(self._now() - self._started)
        return False


@torch.inference_mode()
def measure(repeats):
    model = nn.Linear(512, 512).cuda().eval()
    images = torch.randn(64, 512, device="cuda")
    watch = Watch()
    waiting = WaitingWatch()
    for _ in range(repeats):
        with watch:  # expect: DP154
            model(images)
        with waiting:
            model(images)
    return watch.samples, waiting.samples


print(measure(100))
