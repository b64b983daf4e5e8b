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


class Third(pl.LightningModule):
    def on_epoch_end(self):  # expect: DP307
        self.log("end", 1.0)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_idx, optimizer_closure):  # expect: DP307
        optimizer.step(closure=optimizer_closure)


class Calls(pl.LightningModule):
    def on_train_epoch_end(self):
        self.on_epoch_end()

    def on_epoch_end(self):
        self.log("end", 1.0)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        optimizer.step(closure=optimizer_closure)


class Other:
    def validation_epoch_end(self, outputs):
        return outputs
