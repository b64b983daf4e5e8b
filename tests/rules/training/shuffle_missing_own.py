import random

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Drawn(Rows):
    def __getitem__(self, index):
        return self.rows[random.randrange(len(self.rows))]


def fit(model, loader, optimizer, criterion):
    for epoch in range(50):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def carried(model, loader, optimizer, criterion):
    for epoch in range(50):
        state = None
        for x, y in loader:
            optimizer.zero_grad()
            out, hidden = model(x, state)
            state = hidden.detach()
            criterion(out, y).backward()
            optimizer.step()


def main(rows, model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = torch.nn.CrossEntropyLoss()
    fit(model, DataLoader(Rows(rows), batch_size=32), optimizer, criterion)  # hint: DP130  # expect: DP817


def drawn(rows, model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = torch.nn.CrossEntropyLoss()
    loader = DataLoader(Drawn(rows), batch_size=32)  # hint: DP130
    for epoch in range(50):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def stateful(rows, model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    carried(model, DataLoader(Rows(rows), batch_size=32), optimizer, torch.nn.CrossEntropyLoss())  # hint: DP130


def once(rows, model: torch.nn.Module, optimizer: torch.optim.Optimizer):
    for x, y in DataLoader(Rows(rows), batch_size=32):  # hint: DP130
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
