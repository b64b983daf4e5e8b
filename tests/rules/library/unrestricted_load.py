import torch


def fires(path, device):
    a = torch.load(path)  # expect: DP306
    return a, torch.load(path, map_location=device)  # expect: DP306


def silent(path, options):
    a = torch.load(path, weights_only=False)
    b = torch.load(path, **options)
    return a, b, torch.jit.load(path)
