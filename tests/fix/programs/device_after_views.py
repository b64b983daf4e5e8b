# DP401
import torch


def positions(lengths, device):
    for n in lengths:
        yield torch.arange(n).unsqueeze(0).float().to(device)


def fill(lengths, device):
    for n in lengths:
        yield (torch.full((n,), 7)).to(device)


device = torch.device("cpu")
for p in positions([2, 3], device):
    print(p, p.dtype)
for p in fill([2, 3], device):
    print(p, p.dtype)
