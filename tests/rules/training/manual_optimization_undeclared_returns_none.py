# A step that returns None is over for Lightning, so what it calls may run the backward pass itself.
import lightning as L
import torch
from torch import nn


class Adapting(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)

    def adapt(self, x, y):
        weight = self.net.weight.detach().clone().requires_grad_()
        loss = nn.functional.cross_entropy(nn.functional.linear(x, weight), y)
        loss.backward()
        return weight

    def training_step(self, batch, index):
        x, y = batch
        self.adapt(x, y)
        optimizer = self.optimizers()
        optimizer.step()
        return None

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-4)


class Returning(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)

    def run(self, x, y):
        loss = nn.functional.cross_entropy(self.net(x), y)
        loss.backward()  # expect: DP833
        return loss

    def training_step(self, batch, index):
        x, y = batch
        return self.run(x, y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-4)
