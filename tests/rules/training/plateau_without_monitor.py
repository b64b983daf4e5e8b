import lightning as L
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


class Lists(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
        return [optimizer], [ReduceLROnPlateau(optimizer)]  # expect: DP938


class Dictionary(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
        scheduler = ReduceLROnPlateau(optimizer, patience=3)  # expect: DP938
        return {"optimizer": optimizer, "lr_scheduler": scheduler}


class Right(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
        scheduler = ReduceLROnPlateau(optimizer)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}


class Steps(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
        return [optimizer], [StepLR(optimizer, 10)]


class Plain:
    def configure_optimizers(self, parameters):
        return ReduceLROnPlateau(torch.optim.Adam(parameters))
