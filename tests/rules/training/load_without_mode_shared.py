"""A forward pass that training and evaluation share."""
import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        blocks = [nn.Sequential(nn.Conv2d(c, d, 3, 2, 1, bias=False), nn.BatchNorm2d(d), nn.ReLU()) for c, d in [(3, 32), (32, 64)]]
        self.body = nn.Sequential(*blocks)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(64, 10))

    def forward(self, x):
        return self.head(self.body(x))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(x)


class Loop:
    def __init__(self, device):
        self.model = Net().to(device)
        self.device = device
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def predict(self, batch):
        x, y = (part.to(self.device, non_blocking=True) for part in batch)
        return self.model(x), y  # expect: DP813

    def train(self, loader):
        for batch in loader:
            out, y = self.predict(batch)
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(out, y).backward()
            self.optimizer.step()

    @torch.no_grad()
    def test(self, loader):
        hits = 0
        for batch in loader:
            out, y = self.predict(batch)
            hits = hits + (out.argmax(1) == y).sum()
        return hits.item()


class Right:
    def __init__(self, device):
        self.model = Net().to(device)
        self.device = device
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def predict(self, batch):
        x, y = (part.to(self.device, non_blocking=True) for part in batch)
        return self.model(x), y

    def train(self, loader):
        self.model.train()
        for batch in loader:
            out, y = self.predict(batch)
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(out, y).backward()
            self.optimizer.step()

    @torch.no_grad()
    def test(self, loader):
        self.model.eval()
        hits = 0
        for batch in loader:
            out, y = self.predict(batch)
            hits = hits + (out.argmax(1) == y).sum()
        return hits.item()


class Linear:
    """A model that is the same in both modes."""

    def __init__(self, device):
        self.model = Plain().to(device)
        self.device = device
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def predict(self, batch):
        x, y = (part.to(self.device, non_blocking=True) for part in batch)
        return self.model(x), y

    def train(self, loader):
        for batch in loader:
            out, y = self.predict(batch)
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(out, y).backward()
            self.optimizer.step()

    @torch.no_grad()
    def test(self, loader):
        hits = 0
        for batch in loader:
            out, y = self.predict(batch)
            hits = hits + (out.argmax(1) == y).sum()
        return hits.item()


def loaders(train_set, test_set):
    make = lambda data, train: DataLoader(data, 64, shuffle=train, num_workers=4, persistent_workers=True, pin_memory=True)
    return make(train_set, True), make(test_set, False)


def run_loop(train_set, test_set, epochs):
    train_loader, test_loader = loaders(train_set, test_set)
    loop = Loop("cuda")
    for epoch in range(epochs):
        loop.train(train_loader)
        print(epoch, loop.test(test_loader))


def run_right(train_set, test_set, epochs):
    train_loader, test_loader = loaders(train_set, test_set)
    loop = Right("cuda")
    for epoch in range(epochs):
        loop.train(train_loader)
        print(epoch, loop.test(test_loader))


def run_linear(train_set, test_set, epochs):
    train_loader, test_loader = loaders(train_set, test_set)
    loop = Linear("cuda")
    for epoch in range(epochs):
        loop.train(train_loader)
        print(epoch, loop.test(test_loader))
