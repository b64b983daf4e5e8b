import torch
from torch import nn
from torch.utils.data import DataLoader
from dataclasses import dataclass


class Meter:
    def __init__(self):
        self.store = {}

    def update(self, name, value):
        if name not in self.store:
            self.store[name] = value
        else:
            self.store[name] = torch.cat((self.store[name], value))  # expect: DP138


class First:
    def __init__(self):
        self.features, self.labels = None, None

    def add(self, features, labels):
        if self.features is None:
            self.features, self.labels = features, labels
            return
        self.features = torch.cat([self.features, features], dim=0)  # expect: DP138
        self.labels = torch.cat([self.labels, labels], dim=0)  # expect: DP138


class Window:
    def __init__(self):
        self.last = None

    def add(self, x):
        old = self.last
        self.last = x if old is None else torch.cat([old[-1:], x])
        return self.last


class Bank:
    def __init__(self, dim):
        self.feats = torch.empty(0, dim)

    def push(self, f):
        old = self.feats
        self.feats = torch.cat([old, f])  # expect: DP138


@dataclass
class State:
    outputs: torch.Tensor = None


def collect(state, out):
    state.outputs = out if state.outputs is None else torch.cat((state.outputs, out))  # expect: DP138


def merge(a, b):
    return b if a is None else torch.cat([a, b], dim=0)


@torch.no_grad()
def run1(model, loader):
    meter = Meter()
    for x in loader:
        meter.update("out", model(x))
    return meter.store


@torch.no_grad()
def run2(model, loader):
    bank = Bank(3)
    for x in loader:
        bank.push(model(x))
    return bank.feats


@torch.no_grad()
def run3(model, loader):
    state = State()
    for x in loader:
        collect(state, model(x))
    return state.outputs


@torch.no_grad()
def run4(model, loader):
    total = None
    for x in loader:
        total = merge(total, model(x))  # expect: DP138
    return total


@torch.no_grad()
def run5(model, loader):
    first, window = First(), Window()
    for x, y in loader:
        first.add(model(x), y)
        window.add(x)
    return first


@torch.no_grad()
def each_needs_all(model, loader):
    text = None
    for x in loader:
        text = merge(text, x)
        print(model(text))
    return text


@torch.no_grad()
def run6(model, loader):
    preds = None

    def add(y):
        nonlocal preds
        preds = y if preds is None else torch.cat([preds, y])  # expect: DP138

    for x in loader:
        add(model(x))
    return preds


@torch.no_grad()
def run7(model, loader):
    feats, labels = torch.zeros(0), torch.zeros(0)
    for x, y in loader:
        feats, labels = torch.cat([feats, model(x)]), torch.cat([labels, y])  # expect: DP138
    return feats, labels


@torch.no_grad()
def run8(model, loader):
    feats = []
    it = iter(loader)
    acc = torch.zeros(0)
    while True:
        try:
            x = next(it)
        except StopIteration:
            break
        new = torch.cat([acc, model(x)])  # expect: DP138
        acc = new
    return acc


model = nn.Linear(3, 3)
loader = DataLoader(torch.zeros(10000, 3), batch_size=10, num_workers=2)
run1(model, loader), run2(model, loader), run3(model, loader), run4(model, loader), run5(model, loader), run6(model, loader), run7(model, loader), run8(model, loader)
