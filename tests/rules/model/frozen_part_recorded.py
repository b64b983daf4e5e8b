import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models import resnet18, vit_b_16


class Probe(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = vit_b_16(weights="DEFAULT")
        self.body.heads = nn.Identity()
        self.head = nn.Linear(768, classes)

    def train(self, mode=True):
        super().train(mode)
        self.body.eval()
        return self

    def forward(self, x):
        features = self.body(x)  # expect: DP288
        return self.head(features)


class Careful(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = resnet18(weights="DEFAULT")
        self.head = nn.Linear(1000, classes)

    def forward(self, x):
        with torch.no_grad():
            features = self.body(x)
        return self.head(features)


class Cut(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = resnet18(weights="DEFAULT")
        self.head = nn.Linear(1000, classes)

    def forward(self, x):
        return self.head(self.body(x).detach())


class Behind(nn.Module):
    """The gradient has to go through the pretrained part to reach what is trained."""

    def __init__(self):
        super().__init__()
        self.adapter = nn.Conv2d(1, 3, 1)
        self.body = resnet18(weights="DEFAULT")

    def forward(self, x):
        x = self.adapter(x)
        return self.body(x)


def train(loader, classes):
    model = Probe(classes)
    optimizer = torch.optim.AdamW(model.head.parameters())
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
