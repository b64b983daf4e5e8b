import lightning as L
import pytorch_lightning as pl
import torch
import torch.nn as nn


class Forgotten(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        self.outputs.append(self.net(batch[0]).argmax(1))  # expect: DP279

    def on_validation_epoch_end(self):
        self.log("positive", torch.cat(self.outputs).float().mean())


class ForgottenDict(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)
        self.test_outputs = []

    def test_step(self, batch, batch_idx):
        self.test_outputs.append({"pred": self.net(batch[0]).argmax(1), "y": batch[1]})  # expect: DP279

    def on_test_epoch_end(self):
        self.log("positive", torch.cat([o["pred"] for o in self.test_outputs]).float().mean())


class Cleared(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        self.outputs.append(self.net(batch[0]).argmax(1))

    def on_validation_epoch_end(self):
        self.log("positive", torch.cat(self.outputs).float().mean())
        self.outputs.clear()


class Replaced(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)
        self.outputs = []

    def on_validation_epoch_start(self):
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        self.outputs.append(self.net(batch[0]).argmax(1))

    def on_validation_epoch_end(self):
        self.log("positive", torch.cat(self.outputs).float().mean())


class Names(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)
        self.names = []

    def validation_step(self, batch, batch_idx):
        self.names.append(str(batch_idx))

    def on_validation_epoch_end(self):
        print(self.names)
