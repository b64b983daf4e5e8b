import torch


def silent(x, y):
    return torch.ger(x, y), torch.symeig(x)  # hint: DP301
