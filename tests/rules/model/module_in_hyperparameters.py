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
