import pytorch_lightning as pl
import torch
from torch import nn


class Net(pl.LightningModule):
    def __init__(self, device):
        super().__init__()
        self.weights = torch.linspace(1.0, 0.5, 784).cuda()  # expect: DP845  # hint: DP401
        self.mask = torch.ones(8).to("cuda:0")  # expect: DP845  # hint: DP401
        self.layer = nn.Linear(8, 8)
        self.scale = torch.ones(8).to(torch.float16)
        self.register_buffer("kept", torch.ones(8))

    def forward(self, x):
        return self.layer(x) * self.mask
