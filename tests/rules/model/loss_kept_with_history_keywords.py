"""Losses that a method of a base class keeps, passed by keyword or as one of many."""

from collections import defaultdict

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F


class Tracked(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.seen = defaultdict(list)
        self.values = []
        self.total = 0.0

    def track(self, **values):
        for name, value in values.items():
            self.seen[name].append(value)

    def track_one(self, name, value):
        self.seen[name].append(value)

    def track_all(self, *values):
        for value in values:
            self.values.append(value)

    def track_detached(self, **values):
        for name, value in values.items():
            self.seen[name].append(value.detach())

    def track_numbers(self, **values):
        for name, value in values.items():
            self.seen[name].append(value.item())

    def show(self, **values):
        for name, value in values.items():
            self.log(name, value)

    def on_train_epoch_end(self):
        for name in list(self.seen):
            self.log(name, torch.stack(self.seen.pop(name)).mean())
        self.values.clear()


class Net(Tracked):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 1)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.track(train_loss=loss)  # expect: DP230
        self.track_one("loss", value=loss)  # expect: DP230
        self.track_all(loss)  # expect: DP230
        self.track(train_loss=loss.detach())
        self.track_detached(train_loss=loss)
        self.track_numbers(train_loss=loss)  # expect: DP402
        self.show(train_loss=loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.track(val_loss=F.mse_loss(self(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)
