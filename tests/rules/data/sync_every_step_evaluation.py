import torch
from torch import nn


@torch.no_grad()
def counted(net: nn.Module, loader: torch.utils.data.DataLoader):
    net.eval()
    total = 0.0
    correct = 0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = net(x)
        total += nn.functional.cross_entropy(out, y).item()  # expect: DP402
        correct += (out.argmax(1) == y).sum().item()
    return total, correct


@torch.no_grad()
def asserted(net: nn.Module, loader: torch.utils.data.DataLoader):
    net.eval()
    score = torch.zeros((), device="cuda")
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        assert y.min() >= 0, "labels start at 0"  # hint: DP402
        score += (net(x).argmax(1) == y).sum()
    return score


@torch.no_grad()
def per_sample(net: nn.Module, loader: torch.utils.data.DataLoader):
    net.eval()
    found = []
    for x in loader:
        out = net(x.cuda()).argmax(1)
        for one in out:  # expect: DP155
            found.append(one.item())  # expect: DP402
    return found


@torch.no_grad()
def results(net: nn.Module, loader: torch.utils.data.DataLoader):
    net.eval()
    found = []
    for x in loader:
        found.append(net(x.cuda()).argmax(1).cpu())
    return torch.cat(found)


@torch.no_grad()
def results_and_loss(net: nn.Module, loader: torch.utils.data.DataLoader):
    net.eval()
    found = []
    total = 0.0
    for x, y in loader:
        out = net(x.cuda())
        total += nn.functional.cross_entropy(out, y.cuda()).item()  # hint: DP402
        found.append(out.argmax(1).cpu())
    return total, torch.cat(found)


def at_each_noise_level(model: nn.Module, loader, levels, criterion):
    model = model.cuda()
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            for level in levels:
                loss = criterion(model(x.cuda() + level), y.cuda())
                total += loss.detach().item()  # expect: DP402
    return total
