import numpy as np
import torch

x = torch.rand(4, 8)
mask = x > 0.5


def inverted():
    return x * (1 - mask)  # expect: DP607


def inverted_float():
    return 1.0 - torch.isnan(x)  # expect: DP607


def of_two():
    return mask - torch.zeros(4, 8, dtype=torch.bool)  # expect: DP607


def of_a_float():
    return x - mask  # expect: DP607


def negated():
    return -mask  # expect: DP607


def by_name():
    return torch.neg(mask)  # expect: DP607


def in_place():
    keep = x > 0
    keep -= 1  # expect: DP607
    return keep


def method():
    return mask.sub(1)  # expect: DP607


def without_comparison():
    return ~x  # expect: DP607


def precedence():
    return (x > 0.5) & x  # expect: DP607


def of_arrays():
    return np.array([True, False]) - np.array([True, True])  # expect: DP607


def of_one_array():
    return -(np.arange(4) > 2)  # expect: DP607


def loss(error, keep, weight=0.1):
    visible = 1 - keep  # expect: DP607
    return (error * keep).sum() + weight * (error * visible).sum()


loss(x, torch.rand_like(x) < 0.3)


def silent(tokens, padding):
    a = 1 - mask.float()
    b = 1 - mask.long()
    c = ~mask
    d = mask ^ (x > 0.1)
    e = mask + mask
    f = mask * x
    g = 1 - np.array([True, False])
    h = np.ones(3) - np.array([True, False, True])
    i = (x > 0) & (x < 0.5)
    j = ~(tokens == padding)
    k = 1 - tokens
    m = torch.arange(4) & 1
    n = 1 - mask.any(dim=1).to(torch.float32)
    return a, b, c, d, e, f, g, h, i, j, k, m, n
