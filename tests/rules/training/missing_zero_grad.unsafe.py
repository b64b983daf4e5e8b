import torch
import torch.nn as nn


def fires(model, loader, criterion, scaler):
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(100):
        for x, y in loader:
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()  # expect: DP805
            optimizer.zero_grad()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self, loader):
        for x, y in loader:
            self.model(x).sum().backward()
            self.optimizer.step()  # expect: DP805
            self.optimizer.zero_grad()


def fires_by_name(model, optimizer, loader):
    for x in loader:
        model(x).sum().backward()
        optimizer.step()  # expect: DP805
        optimizer.zero_grad()


def another_step(model, engine, loader):
    for x in loader:
        model(x).sum().backward()
        engine.step()


def clears(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def clears_model(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        model.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def clears_by_hand(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        for p in model.parameters():
            p.grad = None
        criterion(model(x), y).backward()
        optimizer.step()


def forget(optimizer):
    optimizer.zero_grad()


def clears_in_helper(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        forget(optimizer)
        criterion(model(x), y).backward()
        optimizer.step()


def accumulates(model, loader, criterion):
    optimizer = torch.optim.Adam(model.parameters())
    for i, (x, y) in enumerate(loader):
        criterion(model(x), y).backward()
        if i % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def new_each_time(loader, criterion, make):
    for x, y in loader:
        model = make()
        optimizer = torch.optim.Adam(model.parameters())
        criterion(model(x), y).backward()
        optimizer.step()


def once(model, x):
    optimizer = torch.optim.Adam(model.parameters())
    model(x).backward()
    optimizer.step()


def handed(model, loader, criterion, library):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        library.prepare(optimizer)
        criterion(model(x), y).backward()
        optimizer.step()


def without_backward(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        optimizer.step()


def zeroed_by_hand(parameters, loader, loss_of):
    optimizer = torch.optim.Adam(parameters)
    for x in loader:
        loss_of(x).backward()
        optimizer.step()
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter)
