import torch
import torch.nn.functional as F


def every_epoch(model: torch.nn.Module, loader, epochs: int):
    for epoch in range(epochs):
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # expect: DP882
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def once(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


# A new model each time.
def searched(loader, sizes):
    for size in sizes:
        model = torch.nn.Linear(3, size)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


# Another learning rate each time.
def scheduled(model: torch.nn.Module, loader, rates):
    for rate in rates:
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def make(model: torch.nn.Module, lr):
    return torch.optim.Adam(model.parameters(), lr=lr)


def by_helper(model: torch.nn.Module, loader, epochs: int):
    for epoch in range(epochs):
        optimizer = make(model, 1e-3 * 0.9**epoch)  # expect: DP882
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def helper_for_each_model(models, loader):
    for model in models:
        optimizer = make(model, 1e-3)
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
