import copy

import torch
import torch.nn.functional as F

model = torch.nn.Linear(8, 2)
optimizer = torch.optim.Adam(model.parameters())


def step(model, x, y):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


def train(loader, test, epochs):
    best, weights = 0.0, None
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model) > best:
            weights = model.state_dict()  # expect: DP871
    model.load_state_dict(weights)


def in_entry(loader, test, epochs):
    best = 0.0
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model) > best:
            checkpoint = {"epoch": epoch, "model": model.state_dict()}  # expect: DP871
    torch.save(checkpoint, "best.pt")


def shallow(loader, test, epochs):
    best = 0.0
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model) > best:
            weights = model.state_dict().copy()  # expect: DP871
    return weights


class Trainer:
    def __init__(self, network):
        self.network = network
        self.best = None

    def fit(self, loader, test, epochs):
        for epoch in range(epochs):
            for x, y in loader:
                step(self.network, x, y)
            if test(self.network):
                self.best = self.network.state_dict()  # expect: DP871
        self.network.load_state_dict(self.best)


def copied(loader, test, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model):
            weights = copy.deepcopy(model.state_dict())
    model.load_state_dict(weights)


def cloned(loader, test, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model):
            weights = model.state_dict()
            weights = {name: value.clone() for name, value in weights.items()}
    model.load_state_dict(weights)


def saved_at_once(loader, test, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model):
            weights = model.state_dict()
            torch.save(weights, "best.pt")


def stopped(loader, test, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        if test(model):
            weights = model.state_dict()
            break
    return weights


def of_each_fold(folds, test):
    for loader in folds:
        network = torch.nn.Linear(8, 2)
        for x, y in loader:
            step(network, x, y)
        if test(network):
            weights = network.state_dict()
    return weights


def last(loader, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            step(model, x, y)
        weights = model.state_dict()
    return weights
