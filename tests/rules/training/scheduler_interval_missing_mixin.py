import lightning.pytorch as pl
import torch
from transformers import get_cosine_schedule_with_warmup


class Schedule:
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = get_cosine_schedule_with_warmup(  # expect: DP834
            optimizer, num_warmup_steps=100, num_training_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}


class PerStepSchedule:
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = get_cosine_schedule_with_warmup(
            optimizer, num_warmup_steps=100, num_training_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


class NobodysSchedule:
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = get_cosine_schedule_with_warmup(
            optimizer, num_warmup_steps=100, num_training_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}


class BySchedulerItself:
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = get_cosine_schedule_with_warmup(
            optimizer, num_warmup_steps=100, num_training_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}


class Writer(Schedule, pl.LightningModule):
    def training_step(self, batch, index):
        return self(batch).mean()


class Reader(PerStepSchedule, pl.LightningModule):
    def training_step(self, batch, index):
        return self(batch).mean()


class Stepping(BySchedulerItself, pl.LightningModule):
    def lr_scheduler_step(self, scheduler, metric):
        scheduler.step()
