import pytorch_lightning as pl
import torch


class Base(pl.LightningModule):
    def training_step(self, batch, batch_idx, optimizer_idx):  # expect: DP307
        return self.loss(batch)


class Model(Base):
    def validation_epoch_end(self, outputs):  # expect: DP307
        self.log("loss", torch.stack(outputs).mean())

    def on_train_epoch_end(self):
        self.log("done", 1.0)


class Other:
    def validation_epoch_end(self, outputs):
        return outputs
