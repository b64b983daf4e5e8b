import lightning as L
import torch
from torch import nn


class Annotated(L.LightningModule):
    def __init__(self, net: nn.Module, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters(logger=False)  # expect: DP296
        self.net = net


class Given(L.LightningModule):
    def __init__(self, backbone, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()  # expect: DP296
        self.backbone = backbone


class Ignored(L.LightningModule):
    def __init__(self, net: nn.Module, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters(ignore=["net"])
        self.net = net


class Named(L.LightningModule):
    def __init__(self, net: nn.Module, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters("lr")
        self.net = net


class Numbers(L.LightningModule):
    def __init__(self, width: int, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.width = width
        self.net = nn.Linear(width, width)


def main():
    return Given(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)))


class Distance(nn.Module):
    def __init__(self, power):
        super().__init__()
        self.power = power

    def forward(self, a, b):
        return (a - b).abs().pow(self.power).mean()


class PairLoss(nn.Module):
    def __init__(self, pairs="01, 12", power=2.0):
        super().__init__()
        self.pairs = [pair.strip() for pair in pairs.split(",")]
        self.weight = 0.5
        self.distance = Distance(power)

    def forward(self, maps):
        return self.weight * sum(self.distance(maps[0], maps[1]) for _ in self.pairs)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(512))


class WithLoss(L.LightningModule):
    def __init__(self, task: PairLoss = PairLoss()):
        super().__init__()
        self.save_hyperparameters()  # the loss holds no weights
        self.task = task


class WithScale(L.LightningModule):
    def __init__(self, scaled: Scaled):
        super().__init__()
        self.save_hyperparameters()  # expect: DP296
        self.scaled = scaled
