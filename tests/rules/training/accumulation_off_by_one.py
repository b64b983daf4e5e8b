import torch
import torch.nn.functional as F


def shifted(model: torch.nn.Module, loader, n: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        (F.cross_entropy(model(x), y) / n).backward()
        if i % n == 0:  # expect: DP878
            optimizer.step()
            optimizer.zero_grad()


def right(model: torch.nn.Module, loader, n: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        (F.cross_entropy(model(x), y) / n).backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()


def from_one(model: torch.nn.Module, loader, n: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader, 1):
        (F.cross_entropy(model(x), y) / n).backward()
        if i % n == 0:
            optimizer.step()
            optimizer.zero_grad()


# The generator is trained in some iterations only, with gradients of its own.
def critic(generator: torch.nn.Linear, critic: torch.nn.Linear, loader):
    first = torch.optim.Adam(critic.parameters())
    second = torch.optim.Adam(generator.parameters())
    for i, x in enumerate(loader):
        first.zero_grad()
        critic(x).mean().backward()
        first.step()
        if i % 5 == 0:
            second.zero_grad()
            critic(generator(x)).mean().backward()
            second.step()


# What is only logged.
def logged(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if i % 100 == 0:
            print(i)
