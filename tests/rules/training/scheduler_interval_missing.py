import pytorch_lightning as pl
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR
from transformers import get_linear_schedule_with_warmup


class InLists(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        scheduler = OneCycleLR(optimizer, 1e-3, total_steps=self.trainer.estimated_stepping_batches)  # expect: DP834
        return [optimizer], [scheduler]


class InDictionary(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        scheduler = OneCycleLR(optimizer, 1e-3, epochs=10, steps_per_epoch=len(self.loader))  # expect: DP834
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "loss"}}


class FromTransformers(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        total = int(len(self.loader) * self.trainer.max_epochs)
        scheduler = get_linear_schedule_with_warmup(optimizer, 100, total)  # expect: DP834
        return [optimizer], [scheduler]


class InHelper(pl.LightningModule):
    def make_schedule(self, optimizer):
        return OneCycleLR(optimizer, 1e-3, total_steps=self.num_training_steps)  # expect: DP834

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        return [optimizer], [self.make_schedule(optimizer)]


class PerStep(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        scheduler = OneCycleLR(optimizer, 1e-3, total_steps=self.trainer.estimated_stepping_batches)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]


class CountsEpochs(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        scheduler = OneCycleLR(optimizer, 1e-3, total_steps=self.trainer.max_epochs)
        return [optimizer], [scheduler]


class OfEpochs(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        return [optimizer], [CosineAnnealingLR(optimizer, T_max=self.trainer.max_epochs)]


def plain(optimizer, loader):
    return OneCycleLR(optimizer, 1e-3, epochs=3, steps_per_epoch=len(loader))
