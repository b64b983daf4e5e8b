import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def train_epoch(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def fires(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 30)
    for epoch in range(90):
        scheduler.step()  # expect: DP807
        train_epoch(model, optimizer, loader)
    for epoch in range(90):
        scheduler.step(epoch)  # hint: DP807
        for x in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        scheduler.step()  # expect: DP807
        optimizer.step()


def silent(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 30)
    plateau = ReduceLROnPlateau(optimizer)
    for epoch in range(90):
        train_epoch(model, optimizer, loader)
        scheduler.step()
    for epoch in range(90):
        if epoch > 0:
            scheduler.step()
        train_epoch(model, optimizer, loader)
    for epoch in range(90):
        plateau.step(1.0)
        train_epoch(model, optimizer, loader)
    for x in loader:
        optimizer.step()
        scheduler.step()
        model(x)
    for x in loader:
        scheduler.step()


class Warmup(torch.optim.lr_scheduler._LRScheduler):
    def get_lr(self):
        return self.base_lrs


def make_scheduler(optimizer, kind, others):
    if kind is None:
        return Warmup(optimizer)
    if kind == "step":
        return torch.optim.lr_scheduler.StepLR(optimizer, 30)
    return others[kind](optimizer)


def from_factory(model, loader, criterion, kind, others):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = make_scheduler(optimizer, kind, others)
    for epoch in range(90):
        scheduler.step()  # expect: DP807
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
