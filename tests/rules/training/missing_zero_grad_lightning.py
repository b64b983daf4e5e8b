import lightning as L
import torch
from torch import nn


class ByHand(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(3, 1)

    def training_step(self, batch, index):
        opt = self.optimizers()
        loss = self.net(batch).mean()
        self.manual_backward(loss)
        opt.step()  # expect: DP805

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-4)


class Two(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.a = nn.Linear(3, 1)
        self.b = nn.Linear(3, 1)

    def training_step(self, batch, index):
        opt_a, opt_b = self.optimizers()
        self.manual_backward(self.a(batch).mean())
        opt_a.step()  # expect: DP805
        if index % 5 == 0:
            self.manual_backward(self.b(batch).mean())
            opt_b.step()  # expect: DP805

    def configure_optimizers(self):
        return torch.optim.Adam(self.a.parameters()), torch.optim.Adam(self.b.parameters())
