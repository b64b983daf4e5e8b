import time

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
        assert y.min() >= 0, "labels start at 0"  # expect: DP402
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


@torch.no_grad()
def timed_and_read_per_image(net: nn.Module, loader: torch.utils.data.DataLoader):
    net.eval()
    kept = torch.zeros((), device="cuda")
    for x in loader:
        start = time.time()
        for scores in net(x.cuda()):
            best = scores.max()
            if best.item() < 0.5:  # expect: DP402
                continue
            kept += best
            if time.time() - start > 1.0:
                break
    return kept


@torch.no_grad()
def compared_in_comprehension(net: nn.Module, loader: torch.utils.data.DataLoader, end: int):
    net.eval()
    total = torch.zeros((), device="cuda")
    for x in loader:
        words = net(x.cuda()).argmax(1)
        total += words.sum()
        open_beams = [i for i, word in enumerate(words) if word != end]  # expect: DP402
        print(len(open_beams))
    return total


@torch.no_grad()
def compared_on_host(net: nn.Module, loader: torch.utils.data.DataLoader, end: int):
    net.eval()
    open_beams = []
    for x in loader:
        words = net(x.cuda()).argmax(1).cpu()
        open_beams.append([i for i, word in enumerate(words) if word != end])
    return open_beams
