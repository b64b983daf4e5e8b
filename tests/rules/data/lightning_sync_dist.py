import lightning as L
import pytorch_lightning as pl
from lightning.pytorch import LightningModule
from torch import nn


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch).mean()
        self.log("loss", loss, sync_dist=True)  # expect: DP410
        self.log("epoch_loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        self.log("plain", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", self.layer(batch).mean(), sync_dist=True)


class Base(LightningModule):
    pass


class Derived(Base):
    def training_step(self, batch, index):
        self.log_dict({"a": batch.mean()}, on_step=True, sync_dist=True)  # expect: DP410


class Other(L.LightningModule):
    def training_step(self, batch, index):
        self.log("loss", batch.mean(), prog_bar=True, sync_dist=True)  # expect: DP410


class Plain:
    def training_step(self, batch, index):
        self.log("loss", batch, sync_dist=True)
