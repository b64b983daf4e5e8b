import torch
from torch import nn


class FineTuner:
    def __init__(self, model, rate):
        self.net = model
        self.rate = rate
        self.optimizer = self.make_optimizer()

    def make_optimizer(self):
        return torch.optim.AdamW(self.net.parameters(), lr=self.rate)

    def replace_head(self, classes):
        self.net.head = nn.Linear(16, classes)

    def replace_head_and_tell(self, classes):
        self.net.head = nn.Linear(16, classes)
        self.optimizer = self.make_optimizer()


def by_method(net):
    tuner = FineTuner(net, 1e-3)
    tuner.replace_head(5)  # expect: DP814
    return tuner


def by_attribute(net):
    tuner = FineTuner(net, 1e-3)
    tuner.net.head = nn.Linear(16, 5)  # expect: DP814
    return tuner


def by_argument(net):
    tuner = FineTuner(net, 1e-3)
    net.head = nn.Linear(16, 5)  # expect: DP814
    return tuner


def before(net):
    net.head = nn.Linear(16, 5)
    return FineTuner(net, 1e-3)


def told(net):
    tuner = FineTuner(net, 1e-3)
    tuner.replace_head_and_tell(5)
    return tuner


def made_again(net):
    tuner = FineTuner(net, 1e-3)
    tuner.replace_head(5)
    tuner.optimizer = tuner.make_optimizer()
    return tuner


def of_another(net, other):
    tuner = FineTuner(net, 1e-3)
    other.head = nn.Linear(16, 5)
    return tuner, other
