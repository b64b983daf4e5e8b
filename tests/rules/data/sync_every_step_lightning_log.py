import lightning as L
import torch
from torch import nn


class Online(L.Callback):
    def __init__(self, head: nn.Module, optimizer: torch.optim.Optimizer):
        self.head = head
        self.optimizer = optimizer

    def on_train_batch_end(self, trainer, pl_module: L.LightningModule, outputs, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self.head(pl_module(x)), y)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        pl_module.log("online", loss, on_step=True)


class Checked(L.Callback):
    def on_train_start(self, trainer, pl_module: L.LightningModule):
        x = torch.zeros(2, 3, device=pl_module.device, requires_grad=True)
        pl_module(x)[0].sum().backward()
        print(x.grad[1].abs().sum().item())


class Printed(L.Callback):
    def on_train_batch_end(self, trainer, pl_module: L.LightningModule, outputs, batch, index):
        print(outputs["loss"].item())  # expect: DP402
