import lightning as L
import torch
from torch import nn
from torchmetrics.classification import MulticlassAccuracy


class Shared(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 10)
        self.accuracy = MulticlassAccuracy(10)

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        self.accuracy(out, y)
        self.log("train", self.accuracy, on_step=False, on_epoch=True)
        return nn.functional.cross_entropy(out, y)

    def validation_step(self, batch, index):
        x, y = batch
        self.accuracy.update(self.net(x), y)  # expect: DP818
        self.log("val", self.accuracy)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class SharedStep(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 10)
        self.accuracy = MulticlassAccuracy(10)

    def step(self, batch, stage):
        x, y = batch
        out = self.net(x)
        self.accuracy(out, y)  # expect: DP818
        self.log(f"{stage}/accuracy", self.accuracy, on_step=False, on_epoch=True)
        return nn.functional.cross_entropy(out, y)

    def training_step(self, batch, index):
        return self.step(batch, "train")

    def validation_step(self, batch, index):
        self.step(batch, "val")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Apart(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 10)
        self.train_accuracy = MulticlassAccuracy(10)
        self.val_accuracy = MulticlassAccuracy(10)

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        self.train_accuracy(out, y)
        self.log("train", self.train_accuracy, on_step=False, on_epoch=True)
        return nn.functional.cross_entropy(out, y)

    def validation_step(self, batch, index):
        x, y = batch
        self.val_accuracy.update(self.net(x), y)
        self.log("val", self.val_accuracy)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
