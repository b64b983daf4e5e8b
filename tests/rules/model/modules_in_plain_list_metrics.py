import lightning as L
import torchmetrics
from torch import nn
from torchmetrics.classification import BinaryAUROC, BinaryF1Score


class InDictionary(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.metrics = {"auc": BinaryAUROC(), "f1": torchmetrics.F1Score(task="binary")}  # expect: DP237

    def validation_step(self, batch, index):
        x, y = batch
        for metric in self.metrics.values():
            metric.update(self(x), y)


class InList(L.LightningModule):
    def __init__(self, count):
        super().__init__()
        self.metrics = [BinaryF1Score() for _ in range(count)]  # expect: DP237

    def validation_step(self, batch, index):
        x, y = batch
        self.metrics[0].update(self(x), y)


class Filled(L.LightningModule):
    def __init__(self, names):
        super().__init__()
        self.metrics = {}  # expect: DP237
        for name in names:
            self.metrics[name] = BinaryF1Score()

    def validation_step(self, batch, index):
        x, y = batch
        self.metrics["first"].update(self(x), y)


class Registered(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.metrics = nn.ModuleDict({"auc": BinaryAUROC(), "f1": BinaryF1Score()})

    def validation_step(self, batch, index):
        x, y = batch
        for metric in self.metrics.values():
            metric.update(self(x), y)
