import torch
from torch import nn

x = torch.randn(8, 4)
lstm = nn.LSTM(4, 6)


def shape_called():
    return x.view(x.shape(0), -1)  # expect: DP610


def size_indexed():
    return x.view(x.size[0], -1)  # expect: DP610


def share():
    count = 0.8 * len(x)
    return x[:count]  # expect: DP604


def share_of_list(names=("a", "b", "c")):
    return list(names)[: len(names) / 2]  # expect: DP604


def parts():
    return x.chunk(2, dim=1).shape  # expect: DP610


def best(reward, share=0.99):
    following = x.max(1)
    return reward + 0.99 * following  # expect: DP610


def without_list():
    return torch.cat(x, x)  # expect: DP610


def stacked():
    return torch.stack(x, x)  # expect: DP610


def numpy_transpose():
    return torch.randn(2, 3, 4).transpose(0, 2, 1)  # expect: DP610


def length():
    return len(x.mean())  # expect: DP604


def elements():
    for value in x.sum():  # expect: DP604
        print(value)


def of_model():
    return torch.optim.SGD(lstm, lr=0.1)  # expect: DP610


def of_nothing():
    return torch.optim.Adam([], lr=0.1)  # expect: DP610


def wrapped():
    parallel = nn.DataParallel(lstm)  # expect: DP240
    return parallel.hidden_size  # expect: DP610


def ambiguous(limit):
    if x > 0:  # expect: DP604
        return x
    return x if limit and not x.any() else None


def several():
    weights = torch.randn(3, requires_grad=True)
    (2 * weights).backward()  # expect: DP604


def silent(names, options, model):
    x[: int(0.8 * len(x))]
    x[: len(x) // 2]
    values, places = x.max(1)
    values = 0.5 * values
    x.max(1).values.shape
    torch.cat((x, x)), torch.stack([x, x], dim=1)
    torch.randn(2, 3, 4).transpose(0, 2)
    len(x), len(x.shape), x.size()[0]
    torch.optim.SGD(lstm.parameters(), lr=0.1)
    torch.optim.SGD(names, lr=0.1)
    torch.optim.SGD(model, lr=0.1)
    parallel = nn.DataParallel(lstm)
    parallel.module.hidden_size, parallel.device_ids, parallel.training
    weights = torch.randn(3, requires_grad=True)
    (2 * weights).backward(torch.ones(3))
    (2 * weights).sum().backward()
    if (x > 0).any() or x[0, 0] > 1:
        return x
    return None
