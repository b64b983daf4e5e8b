import itertools

import torch


def twice(model: torch.nn.Module, head: torch.nn.Module):
    a = torch.optim.SGD([*model.parameters(), *model.parameters()], lr=0.1)  # expect: DP924
    b = torch.optim.SGD(list(model.parameters()) + list(model.head.parameters()), lr=0.1)  # expect: DP924
    c = torch.optim.SGD(itertools.chain(model.parameters(), model.parameters()), lr=0.1)  # expect: DP924
    d = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
    e = torch.optim.SGD(list(model.body.parameters()) + list(model.head.parameters()), lr=0.1)
    return a, b, c, d, e
