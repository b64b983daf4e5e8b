import torch
import torch.nn.functional as F


def epoch(model, loader, optimizer):
    step = torch.compile(lambda x, y: F.l1_loss(model(x), y))  # expect: DP234
    for x, y in loader:
        loss = step(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def epoch_with(model, step, loader, optimizer):
    for x, y in loader:
        loss = step(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train(model, loader, optimizer, epochs):
    for _ in range(epochs):
        epoch(model, loader, optimizer)


def train_compiled_once(model, loader, optimizer, epochs):
    step = torch.compile(lambda x, y: F.l1_loss(model(x), y))
    for _ in range(epochs):
        epoch_with(model, step, loader, optimizer)


def benchmark(model, x, y):
    step = torch.compile(lambda a, b: F.l1_loss(model(a), b))
    step(x, y)


def benchmark_all(models, x, y):
    for model in models:
        benchmark(model, x, y)
