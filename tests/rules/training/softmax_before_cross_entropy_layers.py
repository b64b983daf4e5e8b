"""Layers in a list."""
import torch
from torch import nn


def filled(sizes, final=nn.Softmax):
    layers = []
    for size, following in zip(sizes, sizes[1:]):
        layers.append(nn.Linear(size, following))
        layers.append(nn.ReLU())
    if final is not None:
        layers.append(final(dim=-1))
    return nn.Sequential(*layers)


def filled_without(sizes, final=None):
    layers = []
    for size, following in zip(sizes, sizes[1:]):
        layers.append(nn.ReLU())
        layers.append(nn.Linear(size, following))
    if final is not None:
        layers.append(final(dim=-1))
    return nn.Sequential(*layers)


def added(size):
    layers = [nn.Linear(size, size), nn.ReLU()]
    layers += [nn.Linear(size, 10), nn.Softmax(dim=-1)]
    return nn.Sequential(*layers)


def joined(size):
    head = [nn.Linear(size, 10), nn.Softmax(dim=-1)]
    return nn.Sequential(*([nn.Linear(size, size), nn.ReLU()] + head))


def extended(size):
    layers = [nn.Linear(size, size), nn.ReLU()]
    layers.extend([nn.Linear(size, 10), nn.Softmax(dim=-1)])
    return nn.Sequential(*layers)


def shortened(size):
    layers = [nn.Linear(size, 10), nn.Softmax(dim=-1)]
    layers.pop()
    return nn.Sequential(*layers)


def perhaps(size, scores):
    layers = [nn.Linear(size, 10), nn.Softmax(dim=-1)]
    if scores:
        layers.append(nn.Linear(10, 10))
    return nn.Sequential(*layers)


def train(loader):
    criterion = nn.CrossEntropyLoss()
    one, two, three, four = filled([8, 10]), added(8), joined(8), extended(8)
    five, six, seven = filled_without([8, 10]), shortened(8), perhaps(8, len(loader) > 10)
    for x, y in loader:
        criterion(one(x), y).backward()  # expect: DP801
        criterion(two(x), y).backward()  # expect: DP801
        criterion(three(x), y).backward()  # expect: DP801
        criterion(four(x), y).backward()  # expect: DP801
        criterion(five(x), y).backward()
        criterion(six(x), y).backward()
        criterion(seven(x), y).backward()


def only_appended(sizes):
    layers = []
    for size in sizes:
        layers.append(nn.Softmax(dim=-1))
    return nn.Sequential(*layers)


def train_appended(loader):
    criterion = nn.CrossEntropyLoss()
    model = only_appended([8, 10])
    for x, y in loader:
        criterion(model(x), y)  # expect: DP801
