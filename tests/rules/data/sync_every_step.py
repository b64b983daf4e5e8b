import torch
import torch.nn as nn


def train(model: nn.Module, loader, criterion, optimizer: torch.optim.Optimizer, device):
    model.to(device)
    total = 0.0
    values = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()  # expect: DP402
        values.append(loss.item())
    return total, values


def chains(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    out = []
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        out.append(loss.detach().cpu().numpy())  # hint: DP402
    return out


def fine(model: nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = 0.0
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
        if step % 100 == 0:
            print(loss.item())
    return total.item()


def evaluation(model: nn.Module, loader):
    correct = 0
    for x, y in loader:
        with torch.no_grad():
            correct += (model(x).argmax(1) == y).sum().item()
    return correct
