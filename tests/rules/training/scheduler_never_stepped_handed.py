import torch


def train(model, loader, criterion, optimizer, scheduler):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def train_with(model, loader, criterion, optimizer, scheduler):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
        scheduler.step()


def forgotten(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100000)  # expect: DP920
    for epoch in range(90):
        train(model, loader, torch.nn.CrossEntropyLoss(), optimizer, scheduler)


def stepped(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100000)
    for epoch in range(90):
        train_with(model, loader, torch.nn.CrossEntropyLoss(), optimizer, scheduler)


def handed_away(model: torch.nn.Module, loader, engine):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100000)
    engine.run(model, loader, optimizer, scheduler)
