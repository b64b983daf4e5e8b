# A graph that is kept from step to step, in other words.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


class Average:
    def __init__(self):
        self.sum = 0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n


class Numbers:
    def __init__(self):
        self.sum = 0

    def update(self, value):
        self.sum += value.item()


def annotated(batches):
    total = 0
    for x, y in batches:
        loss: Tensor = F.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # expect: DP230
    print(total)


def by_a_meter(batches):
    meter = Average()
    numbers = Numbers()
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss)  # expect: DP230
        meter.update(loss.detach())
        numbers.update(loss)
    return meter, numbers


def not_walked_at_all(batches):
    errors = 0.0
    for x, y in batches:
        out = net(x)
        loss = F.mse_loss(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        error = (net(y) - y).abs().mean()  # expect: DP232
        errors += error  # expect: DP230
    print(errors / len(batches))


class Trainer:
    def __init__(self):
        self.losses = []
        self.logs = {"loss": []}

    def train(self, batches):
        for x, y in batches:
            loss = F.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.losses.append(loss)  # expect: DP230
            self.logs["loss"].append(loss)  # expect: DP230
            self.losses.append(loss.item())


def compute(model, batch):
    x, y = batch
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss


def from_a_step(model, batches, opt):
    epoch_loss = 0
    for batch in batches:
        opt.zero_grad()
        epoch_loss += compute(model, batch)  # expect: DP230
        opt.step()
    return epoch_loss / len(batches)


def walked_in_the_end(batches):
    for epoch in range(100):
        total = 0
        for x, y in batches:
            total = total + F.mse_loss(net(x), y)
        total.backward()
        optimizer.step()
        optimizer.zero_grad()


def given_back(batches):
    kept = []
    for x, y in batches:
        out = net(x)
        F.mse_loss(out, y).backward()
        kept.append(net(y))
    return kept
