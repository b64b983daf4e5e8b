import torch
import torch.nn.functional as F
import torchvision
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(x)


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torchvision.models.vgg16(weights="DEFAULT")

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, device):
        self.encoder = Encoder().to(device)
        self.decoder = nn.Linear(4, 8).to(device)
        self.optimizer = torch.optim.Adam(self.decoder.parameters(), lr=0.1)  # expect: DP875

    def step(self, x):
        self.encoder.train()
        self.decoder.train()
        loss = F.mse_loss(self.decoder(self.encoder(x)), x)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def train(loader):
    encoder = Encoder()
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(params=decoder.parameters(), lr=0.1)  # expect: DP875
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def both(loader):
    encoder = Encoder()
    decoder = nn.Linear(4, 8)
    first = torch.optim.SGD(decoder.parameters(), lr=0.1)
    second = torch.optim.SGD(encoder.parameters(), lr=0.1)
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        first.zero_grad()
        second.zero_grad()
        loss.backward()
        first.step()
        second.step()


def together(loader):
    encoder = Encoder()
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(list(decoder.parameters()) + list(encoder.parameters()), lr=0.1)
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def loaded(loader):
    encoder = Encoder()
    encoder.load_state_dict(torch.load("encoder.pt", weights_only=True))
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def pretrained(loader):
    extractor = Extractor()
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for x in loader:
        loss = F.mse_loss(decoder(extractor(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def frozen(loader):
    encoder = Encoder()
    for parameter in encoder.parameters():
        parameter.requires_grad = False
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def without_grad(loader):
    encoder = Encoder()
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for x in loader:
        with torch.no_grad():
            code = encoder(x)
        loss = F.mse_loss(decoder(code), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def detached(loader):
    encoder = Encoder()
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    for x in loader:
        code = encoder(x).detach()  # hint: DP232
        loss = F.mse_loss(decoder(code), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def handed_away(loader, make_optimizer):
    encoder = Encoder()
    decoder = nn.Linear(4, 8)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    other = make_optimizer(encoder)
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        other.step()


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = nn.Linear(4, 8)
        self.optimizer = torch.optim.SGD(self.decoder.parameters(), lr=0.1)

    def step(self, x):
        loss = F.mse_loss(self.decoder(self.encoder(x)), x)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
