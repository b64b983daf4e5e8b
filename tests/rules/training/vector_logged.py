import lightning.pytorch as pl
import torch
import torch.nn.functional as F


class Vector(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)
        self.criterion = torch.nn.CrossEntropyLoss(reduction="none")
        self.mean = torch.nn.CrossEntropyLoss()

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self.net(x), y, reduction="none")
        self.log("loss", loss)  # expect: DP880
        self.log("mean", loss.mean())
        other = self.criterion(self.net(x), y)  # hint: DP232
        self.log("other", other)  # expect: DP880
        self.log("reduced", self.mean(self.net(x), y))
        return loss.mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class Writer:
    def log(self, name, value):
        self.last = value

    def write(self, x, y):
        loss = F.mse_loss(x, y, reduction="none")
        self.log("loss", loss)
