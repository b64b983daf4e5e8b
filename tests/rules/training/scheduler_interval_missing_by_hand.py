import pytorch_lightning as pl
import torch
from torch.optim.lr_scheduler import OneCycleLR


class StepsItself(pl.LightningModule):
    def training_step(self, batch, index):
        self.lr_schedulers().step()
        return self(batch).mean()

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        scheduler = OneCycleLR(optimizer, 1e-3, total_steps=self.num_training_steps)
        return [optimizer], [scheduler]
