import torch
import torch.nn.functional as F
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scheduler = StepLR(self.optimizer, step_size=20, gamma=0.1)

    def train_epoch(self, loader: DataLoader):
        for x, y in loader:
            step(self.model, self.optimizer, x, y)
            self.scheduler.step()  # expect: DP872

    def fit(self, loader: DataLoader):
        for epoch in range(60):
            self.train_epoch(loader)


def milestones(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.MultiStepLR(optimizer, milestones=[30, 60, 90])
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
            scheduler.step()  # expect: DP872


def exponential(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.95)
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            step(model, optimizer, x, y)
            scheduler.step()  # expect: DP872


def cosine(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
            scheduler.step()  # expect: DP872


def short_cosine(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=50)
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
            scheduler.step()  # hint: DP872


def default_of_parameter(model, loader: DataLoader, epochs, every=30):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, every)
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
            scheduler.step()  # hint: DP872


def per_epoch(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 30)
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
        scheduler.step()


def in_steps(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = StepLR(optimizer, 10000)
    second = lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    third = lr_scheduler.ExponentialLR(optimizer, 0.9999)
    fourth = lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    fifth = lr_scheduler.MultiStepLR(optimizer, [8000, 16000])
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
            first.step()
            second.step()
            third.step()
            fourth.step()
            fifth.step()


def sometimes(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 30)
    for epoch in range(epochs):
        for i, (x, y) in enumerate(loader):
            step(model, optimizer, x, y)
            if i % 1000 == 999:
                scheduler.step()


def one_cycle(model, loader: DataLoader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=epochs)
    right = lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=epochs * len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            step(model, optimizer, x, y)
            scheduler.step()  # expect: DP872
            right.step()
