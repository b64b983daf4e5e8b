import copy

import torch
from torch import nn

model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def teacher_of(student):
    return copy.deepcopy(student)  # expect: DP243


def train(loader, best):
    for step, x in enumerate(loader):
        teacher = copy.deepcopy(model)  # expect: DP243
        weights = copy.deepcopy(model.state_dict())  # expect: DP243
        batch = copy.deepcopy(x)
        loss = (model(batch) - teacher_of(model)(x).detach() - teacher(x).detach()).pow(2).mean()  # expect: DP232
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 1000 == 0:
            best = copy.deepcopy(model)
    return best, weights


def once():
    return copy.deepcopy(model)


def adapted(tasks):
    for support, query in tasks:
        local = copy.deepcopy(model)
        inner = torch.optim.SGD(local.parameters(), lr=0.1)
        local(support).mean().backward()
        inner.step()
        loss = model(query).mean() + local.weight.detach().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
