import torch
import torch.nn.functional as F
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR


def train_epoch(model: torch.nn.Module, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def never(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=30)  # expect: DP920
    for epoch in range(30):
        train_epoch(model, loader, optimizer)
        print(scheduler.get_last_lr())
    torch.save({"model": model.state_dict(), "scheduler": scheduler.state_dict()}, "last.pt")


class Trainer:
    def __init__(self, model: torch.nn.Module, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.plan = OneCycleLR(self.optimizer, 1e-2, total_steps=1000)  # expect: DP920

    def fit(self):
        train_epoch(self.model, self.loader, self.optimizer)


# ---- Stepped, or handed on


def stepped(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=30)
    for epoch in range(30):
        train_epoch(model, loader, optimizer)
        scheduler.step()


def stepped_inside(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=30)

    def after_epoch():
        scheduler.step()

    for epoch in range(30):
        train_epoch(model, loader, optimizer)
        after_epoch()


def returned(model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=30)
    return optimizer, scheduler


def chained(model: torch.nn.Module, fit):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=30)
    fit(model, schedulers=[scheduler])


class Other:
    def __init__(self, model: torch.nn.Module, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.lr_plan = OneCycleLR(self.optimizer, 1e-2, total_steps=1000)


def drive(other: Other):
    train_epoch(other.model, other.loader, other.optimizer)
    other.lr_plan.step()


def pair(model: torch.nn.Module, loader):
    optimizer, scheduler = returned(model)  # expect: DP920
    for epoch in range(30):
        train_epoch(model, loader, optimizer)


def pair_stepped(model: torch.nn.Module, loader):
    optimizer, scheduler = returned(model)
    for epoch in range(30):
        train_epoch(model, loader, optimizer)
        scheduler.step()
