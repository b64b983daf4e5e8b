import torch
from torch import nn
from torchvision import models


class Probe(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.encoder = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Linear(1000, classes)

    def forward(self, x):
        with torch.no_grad():
            features = self.encoder(x)
        return self.head(features)


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        with torch.inference_mode(False), torch.no_grad():
            x = self.features(x).mean((2, 3))
        return self.head(x)


class Trained(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Linear(1000, 2)

    def forward(self, x):
        return self.head(self.deep(x))


class WithoutStatistics(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        with torch.no_grad():
            x = self.plain(x).mean((2, 3))
        return self.head(x)


class Overridden(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Linear(1000, 2)

    def train(self, mode=True):
        super().train(mode)
        self.fixed.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            x = self.fixed(x)
        return self.head(x)


class KeptFixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = models.resnet18(weights="IMAGENET1K_V1")
        self.head = nn.Linear(1000, 2)

    def forward(self, x):
        with torch.no_grad():
            x = self.base(x)
        return self.head(x)


def fit(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def probe(loader):
    model = Probe(10)
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
    for _ in range(3):
        model.train()  # expect: DP966
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()


def blocks():
    net = Blocks()
    net.train(True)  # expect: DP966
    net.train(False)
    return net


def others(loader):
    trained, plain, overridden, kept = Trained(), WithoutStatistics(), Overridden(), KeptFixed()
    trained.train()
    plain.train()
    overridden.train()
    kept.train()
    kept.base.eval()
    fit(trained, loader, torch.optim.SGD(trained.parameters(), lr=0.1))
    return plain, overridden, kept


class Trunk(nn.Module):
    """The part of a pretrained network that is only read."""

    def __init__(self):
        super().__init__()
        net = models.resnet50(weights="IMAGENET1K_V2")
        self.stem = nn.Sequential(*list(net.children())[:-2])

    def forward(self, x):
        with torch.no_grad():
            return self.stem(x)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = Trunk()
        self.head = nn.Conv2d(2048, 4, 1)

    def forward(self, x):
        return self.head(self.trunk(x))


class Decorated(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8)]
        self.convolutions = nn.Sequential(*layers)

    @torch.no_grad()
    def forward(self, x):
        return self.convolutions(x)


class OnDecorated(nn.Module):
    def __init__(self):
        super().__init__()
        self.extractor = Decorated()
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.extractor(x).mean((2, 3)))


class StaysInEvaluation(Trunk):
    def train(self, mode=True):
        return super().train(False)


class OnFixedTrunk(nn.Module):
    def __init__(self):
        super().__init__()
        self.lower = StaysInEvaluation()
        self.head = nn.Conv2d(2048, 4, 1)

    def forward(self, x):
        return self.head(self.lower(x))


class Fit:
    def __init__(self, device):
        self.net = Detector().to(device)
        self.other = OnFixedTrunk().to(device)
        self.small = OnDecorated()

    def epoch(self):
        self.net.train()  # expect: DP966
        self.other.train()
        self.small.train()  # expect: DP966
