"""One function logs for all stages."""
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn


class Base(L.LightningModule):
    def report(self, stage, loss):
        self.log(f"{stage}_loss", loss, on_epoch=True)


class Model(Base):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 1)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.report("train", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.report("valid", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


def callbacks():
    return [
        EarlyStopping(monitor="val_loss"),  # expect: DP937
        ModelCheckpoint(monitor="valid_loss"),
        ModelCheckpoint(monitor="train_loss"),
    ]
