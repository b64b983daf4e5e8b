import torch
from torch import nn
from torchvision.models import resnet50


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        net = resnet50(weights="DEFAULT")
        self.stem = nn.Sequential(net.conv1, net.bn1, net.relu)
        self.freeze()

    def freeze(self):
        self.requires_grad_(False)
        self.eval()

    def forward(self, x):
        return self.stem(x)


class KeptEncoder(Encoder):
    def train(self, mode=True):
        return super().train(False)


class Segmenter(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Conv2d(64, classes, 1)

    def forward(self, x):
        return self.head(self.encoder(x))


class Kept(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.encoder = KeptEncoder()
        self.head = nn.Conv2d(64, classes, 1)

    def forward(self, x):
        return self.head(self.encoder(x))


class ByOwner(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.trunk = resnet50(weights="DEFAULT")
        for parameter in self.trunk.parameters():
            parameter.requires_grad = False
        self.trunk.eval()
        self.head = nn.Linear(1000, classes)

    def forward(self, x):
        return self.head(self.trunk(x))


class Transformer(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8))
        self.body.requires_grad_(False)
        self.body.eval()
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        return self.head(self.body(x))


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


def train_encoder(loader, optimizer):
    model = Segmenter(5)
    model.train()  # expect: DP966
    for x, y in loader:
        step(model, optimizer, x, y)


def train_by_owner(loader, optimizer):
    model = ByOwner(5)
    model.train()  # expect: DP966
    for x, y in loader:
        step(model, optimizer, x, y)


def train_kept(loader, optimizer):
    model = Kept(5)
    model.train()
    for x, y in loader:
        step(model, optimizer, x, y)


def train_without_statistics(loader, optimizer):
    model = Transformer(5)
    model.train()
    for x, y in loader:
        step(model, optimizer, x, y)
