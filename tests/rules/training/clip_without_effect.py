import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


def after_step(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        clip_grad_norm_(model.parameters(), 1.0)  # expect: DP865


def before_backward(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: DP865
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())

    def step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        clip_grad_value_(self.model.parameters(), clip_value=1.0)  # expect: DP865
        self.optimizer.zero_grad()

    def run(self, loader):
        for x, y in loader:
            self.step(x, y)


def right(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def norm_is_taken(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        norm = clip_grad_norm_(model.parameters(), float("inf"))
        print(norm)


def accumulated(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        clip_grad_norm_(model.parameters(), 1.0)
        F.cross_entropy(model(x) / 4, y).backward()
        if i % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def two_steps(critic, generator, loader):
    first = torch.optim.SGD(critic.parameters(), lr=0.1)
    second = torch.optim.SGD(generator.parameters(), lr=0.1)
    for x, y in loader:
        first.zero_grad()
        F.cross_entropy(critic(x), y).backward()
        first.step()
        second.zero_grad()
        F.cross_entropy(generator(x), y).backward()
        clip_grad_norm_(generator.parameters(), 1.0)
        second.step()
