import torch
from torch.utils.data import DataLoader


def validate(model, loader: DataLoader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
    model.train()
    return correct


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def fires(model: torch.nn.Module, optimizer, criterion, train_loader: DataLoader, val_loader: DataLoader):
    for x, y in train_loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        validate(model, val_loader)  # expect: DP422


def silent(model: torch.nn.Module, optimizer, criterion, train_loader: DataLoader, val_loader: DataLoader, epochs):
    for epoch in range(epochs):
        for step, (x, y) in enumerate(train_loader):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            accuracy(model, x, y)
            if step % 500 == 0:
                validate(model, val_loader)
        validate(model, val_loader)
