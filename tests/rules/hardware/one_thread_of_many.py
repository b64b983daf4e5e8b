# Several processes share the cores, and each takes one.
import multiprocessing

import torch
from torch import nn


def train(seed):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(1000):
        x = torch.randn(64, 784)
        y = torch.randint(10, (64,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        pool.map(train, range(8))
