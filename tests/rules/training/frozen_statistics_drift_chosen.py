import torch
from torch import nn
from torchvision import models

NETWORKS = {}


def named(name):
    def keep(function):
        NETWORKS[name] = function
        return function

    return keep


@named("small")
def small():
    return models.resnet18(weights="IMAGENET1K_V1")


@named("large")
def large():
    return models.resnet50(weights="IMAGENET1K_V2")


class Probe(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.head = nn.Linear(1000, 10)

    def forward(self, x):
        with torch.no_grad():
            features = self.network(x)
        return self.head(features)


def train(name, loader):
    model = Probe(NETWORKS[name]())
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    model.train()  # expect: DP966
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
