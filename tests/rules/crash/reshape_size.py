import torch

x = torch.randn(4, 16, 5, 5)
flat = x.view(4, 400)
wrong = x.view(4, 300)  # expect: DP603
rest = x.view(4, -1)
odd = x.reshape(-1, 3)  # expect: DP603
first, second = x.split([8, 8], dim=1)
parts = x.split([8, 9], dim=1)  # expect: DP603


def heads(x, h):
    b, t, c = x.shape
    return x.view(b, t, h, c // h)


def twice(x):
    b, t, c = x.shape
    return x.view(b, t, 2 * c)  # expect: DP603
