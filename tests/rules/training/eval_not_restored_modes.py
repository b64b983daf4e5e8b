# Whether it matters depends on the model; how many epochs there are does not.
import torch
import torch.nn as nn
import torchvision


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        return self.body(x)


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3, bias=False), nn.BatchNorm1d(3))
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.body(x))


def of_own_class(batches):
    model = Dropping()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in batches:
            optimizer.zero_grad()
            (model(x) - y).sum().backward()
            optimizer.step()
        model.eval()  # expect: DP806
        with torch.no_grad():
            print(model(batches[0][0]))


def of_torchvision(batches):
    model = torchvision.models.resnet18()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(100):
        for x, y in batches:
            optimizer.zero_grad()
            (model(x) - y).sum().backward()
            optimizer.step()
        model.eval()  # expect: DP806
        with torch.no_grad():
            print(model(batches[0][0]))


def without_modes(batches):
    model = Plain()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(100):
        for x, y in batches:
            optimizer.zero_grad()
            (model(x) - y).sum().backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            print(model(batches[0][0]))


def once(batches):
    model = Dropping()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(1):
        for x, y in batches:
            optimizer.zero_grad()
            (model(x) - y).sum().backward()
            optimizer.step()
        model.eval()
