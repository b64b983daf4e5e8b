import pytorch_lightning as pl
import torch
from torch import nn


class Base(pl.LightningModule):
    def log_all(self, values, stage):
        for k, v in values.items():
            self.log(f"{stage}_{k}", v, on_step=True, on_epoch=True, sync_dist=True)  # expect: DP410


class Segmenter(Base):
    def __init__(self):
        super().__init__()
        self.net = nn.Conv2d(3, 21, 1)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, i):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log_all({"loss": loss}, "train")
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        self.log_all({"loss": nn.functional.cross_entropy(self(x), y)}, "val")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(dm):
    pl.Trainer(accelerator="gpu", devices=8, strategy="ddp", precision="bf16-mixed").fit(Segmenter(), dm)
