# DP401
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cpu")

    def forward(self, x):
        state = torch.ones(
            x.size(0),
            2,  # of the state
        ).to(self.device)
        return x.sum(1, keepdim=True) + state


print(Net()(torch.arange(6.0).view(3, 2)))
