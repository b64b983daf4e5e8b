import torch
import torch.nn as nn

model = nn.Linear(8, 2)
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()


def train(batches):
    for x, y in batches:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.zero_grad()  # expect: DP828
        optimizer.step()


class Learner:
    def __init__(self):
        self.model = nn.Linear(8, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def step(self, x, y):
        loss = criterion(self.model(x), y)
        loss.backward()
        self.optimizer.zero_grad()  # expect: DP828
        number = loss.item()
        self.optimizer.step()
        return number


def before(batches):
    for x, y in batches:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def behind(batches):
    for x, y in batches:
        criterion(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()


def two_losses(x, y):
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()


def two_optimizers(x, y, other):
    second = torch.optim.Adam(other.parameters())
    loss = criterion(model(other(x)), y)
    loss.backward()
    second.zero_grad()
    optimizer.step()


def first_for_nothing(x, y):
    criterion(model(x), y).backward()
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()
