import torch
from torch import nn
from torch.utils.data import DataLoader


def train_epoch(net, optimizer, samples):
    batches = DataLoader(samples, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)  # expect: DP131
    for x, y in batches:
        optimizer.zero_grad()
        net(x, y).backward()
        optimizer.step()


def fit(net, optimizer, samples, epochs):
    for _ in range(epochs):
        train_epoch(net, optimizer, samples)


# A whole training run in each call.
def trial(samples, epochs):
    net = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    batches = DataLoader(samples, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
    for _ in range(epochs):
        for x, y in batches:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()


def trials(samples, count):
    for _ in range(count):
        trial(samples, 90)


# Other samples each time.
def train_on(net, optimizer, samples):
    for x, y in DataLoader(samples, batch_size=64, shuffle=True, num_workers=4):
        optimizer.zero_grad()
        net(x, y).backward()
        optimizer.step()


def curriculum(net, optimizer, stages):
    for samples in stages:
        train_on(net, optimizer, samples)


# Made when it is first needed.
class Trainer:
    def __init__(self, samples):
        self.samples = samples
        self.batches = None

    def loader(self):
        if self.batches is None:
            self.batches = DataLoader(self.samples, batch_size=64, num_workers=4, persistent_workers=True)
        return self.batches

    def run(self, net, optimizer, epochs):
        for _ in range(epochs):
            for x, y in self.loader():
                optimizer.zero_grad()
                net(x, y).backward()
                optimizer.step()
