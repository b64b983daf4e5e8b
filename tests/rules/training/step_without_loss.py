import lightning as L
import torch
from torch import nn


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class Silent(Base):
    def training_step(self, batch, index):  # expect: DP936
        x, y = batch
        loss = nn.functional.cross_entropy(self.layer(x), y)  # hint: DP232
        self.log("loss", loss)


class Cut(Base):
    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self.layer(x), y)  # hint: DP232
        return loss.detach()  # expect: DP936


class Right(Base):
    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self.layer(x), y)
        self.log("loss", loss.detach())
        return loss


class SkipsSome(Base):
    def training_step(self, batch, index):
        x, y = batch
        if x.shape[0] == 0:
            return None
        return {"loss": nn.functional.cross_entropy(self.layer(x), y)}


class Abstract(Base):
    def training_step(self, batch, index):
        raise NotImplementedError


class NotTrained(L.LightningModule):
    def training_step(self, batch, index):
        self.log("size", torch.tensor(batch.shape[0]))
