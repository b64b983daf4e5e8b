import lightning as L
import pytorch_lightning as pl
import torch
from somewhere import Mixin


class Gan(L.LightningModule):
    def training_step(self, batch, index):
        first, second = self.optimizers()
        loss = self.critic(batch).mean()
        self.manual_backward(loss)  # expect: DP833
        first.step()
        other = self.generator(batch).mean()
        self.manual_backward(other)
        second.step()


class InHelper(pl.LightningModule):
    def update(this, optimizer, loss):
        optimizer.zero_grad()
        this.manual_backward(loss)  # expect: DP833
        optimizer.step()

    def training_step(self, batch, index):
        self.update(self.optimizers(), self(batch).mean())


class WithMixin(Mixin, pl.LightningModule):
    def training_step(self, batch, index):
        self.manual_backward(self(batch).mean())


class NoLightning(torch.nn.Module):
    def step(self, loss):
        self.manual_backward(loss)


def outside(module, loss):
    module.manual_backward(loss)
