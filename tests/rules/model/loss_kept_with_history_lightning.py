import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)
        self.losses = []
        self.outputs = []
        self.total = 0

    def forward(self, x):
        return self.layer(x)

    def training_step(self, batch, index):
        x, y = batch
        prediction = self(x)
        loss = nn.functional.mse_loss(prediction, y)
        self.losses.append(loss)  # expect: DP230
        self.outputs.append({"loss": loss, "prediction": prediction})  # expect: DP230
        self.outputs.append((loss.detach(), prediction.detach()))
        self.total += loss  # expect: DP230
        kept = []
        kept.append(loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.losses.append(loss)
        return loss


class Detached(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)
        self.losses = []

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        self.losses.append({"loss": loss.detach()})
        return {"loss": loss}
