import numpy as np
import torch
from torch import FloatTensor


def fires(values):
    a = torch.tensor([0.1, 0.9], dtype=torch.float32)  # hint: DP145
    b = torch.tensor([v for v in values], dtype=torch.int64)  # hint: DP145
    c = torch.tensor([1.0], dtype=torch.float32)  # hint: DP145
    d = torch.tensor(np.zeros(3), dtype=torch.float32)  # hint: DP145
    e = torch.tensor([1.0], dtype=torch.float32)  # hint: DP145
    f = torch.tensor(list(values), dtype=torch.uint8)  # hint: DP145
    return a, b, c, d, e, f


def silent(n, values, x):
    a = torch.Tensor(3, 4)
    b = torch.Tensor(n)
    c = torch.FloatTensor(n, n).uniform_()
    d = torch.Tensor()
    e = torch.tensor([1.0])
    f = torch.FloatTensor(values)
    g = torch.Tensor(x.shape)
    h = torch.LongTensor(1).random_()
    return a, b, c, d, e, f, g, h
