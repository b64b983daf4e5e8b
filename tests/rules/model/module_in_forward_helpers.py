import torch
import torch.nn as nn
import torch.nn.functional as F
from torchmetrics.classification import MulticlassAccuracy
from torchvision.models import VGG19_Weights, vgg19


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = vgg19(weights=VGG19_Weights.DEFAULT).features[:35].eval().requires_grad_(False)

    def forward(self, x):
        return self.net(x)


def train(net: nn.Module, loader, device):
    optimizer = torch.optim.Adam(net.parameters())
    features = lambda x: Features().to(device)(x)  # expect: DP236
    for x, y in loader:
        loss = F.mse_loss(features(net(x)), features(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def right(net: nn.Module, loader, device):
    optimizer = torch.optim.Adam(net.parameters())
    made = Features().to(device)
    features = lambda x: made(x)
    for x, y in loader:
        loss = F.mse_loss(features(net(x)), features(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def measured(net: nn.Module, loader):
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        out = net(x)
        optimizer.zero_grad()
        F.cross_entropy(out, y).backward()
        optimizer.step()
        accuracy = MulticlassAccuracy(num_classes=10)  # expect: DP236
        accuracy.update(out.detach(), y)
