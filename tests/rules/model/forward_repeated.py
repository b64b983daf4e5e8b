import torch


@torch.no_grad()
def fires(model: torch.nn.Module, criterion, loader):
    loss, correct = 0.0, 0
    for x, y in loader:
        loss += criterion(model(x), y).item()
        correct += (model(x).argmax(dim=1) == y).sum().item()  # expect: DP250
    return loss, correct


@torch.no_grad()
def silent(model: torch.nn.Module, other: torch.nn.Module, loader):
    results = []
    for x, y in loader:
        a = model(x)
        x = x + 1
        b = model(x)
        c = other(x)
        model.train()
        d = model(x)
        results.append((a, b, c, d))
    for x, y in loader:
        if y.any():
            results.append(model(x))
        results.append(model(x.flip(0)))
        results.append(model(x.flip(0)))
    return results


def contrastive(model: torch.nn.Module, x, optimizer):
    first = model(x)
    second = model(x)
    loss = (first - second).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
