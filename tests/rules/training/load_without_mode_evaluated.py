# Evaluated without a word about the mode anywhere.
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        return self.body(x)


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.body(x))


model = Dropping()
plain = Plain()
teacher = Dropping()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.no_grad():
            target = teacher(x)
        (model(x) - target).sum().backward()
        optimizer.step()


def validate(loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum()  # expect: DP813
            right += (plain(x).argmax(1) == y).sum()
    return right


if __name__ == "__main__":
    batches = DataLoader([], num_workers=2, pin_memory=True)
    for epoch in range(10):
        train(batches)
        validate(batches)
