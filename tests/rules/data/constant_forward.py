import time

import numpy as np
import torch
from torch import nn


def prompts(encoder: torch.nn.Linear, loader, texts):
    results = []
    with torch.no_grad():
        for x in loader:
            features = encoder(texts)  # expect: DP441
            results.append(x @ features.T)
    return torch.cat(results)


def batches(encoder: torch.nn.Linear, loader):
    results = []
    with torch.no_grad():
        for x in loader:
            results.append(encoder(x))
    return torch.cat(results)


# The weights change in every step.
def trained(encoder: torch.nn.Linear, loader, texts):
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    for x in loader:
        loss = (x @ encoder(texts).T).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# A benchmark.
def measured(model: torch.nn.Linear, x):
    with torch.no_grad():
        for _ in range(100):
            start = time.perf_counter()
            y = model(x)
            print(y.shape, time.perf_counter() - start)


class Extractor:
    def __init__(self, device):
        self.net = nn.Linear(100, 4).eval()
        self.device = device

    def embed(self, audio, count):
        parts = []
        for start in np.linspace(0, len(audio) - 100, num=count):
            parts.append(audio[int(start) : int(start) + 100])
        parts = torch.from_numpy(np.stack(parts, axis=0)).to(self.device)
        with torch.no_grad():
            output = self.net(parts)
        return output.mean(0).cpu().numpy()

    def embed_all(self, waves):
        return np.asarray([self.embed(wave, 3) for wave in waves])


def marched(net: nn.Linear, rays, steps):
    distance = 0
    with torch.no_grad():
        for _ in range(steps):
            rays.lengths += distance
            features = net(rays)
            distance = features.sum()
    return distance


def measured_as_a_whole(model: torch.nn.Linear, x):
    start = time.perf_counter()
    with torch.no_grad():
        for _ in range(100):
            y = model(x)
    end = time.perf_counter()
    return y, end - start


def sampled(path, x):
    predictive = torch.jit.load(path)
    return torch.stack([predictive(x) for _ in range(800)])
