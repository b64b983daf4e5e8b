import torch
from torch import nn

from transforms import harmless, spline


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        return spline(harmless(self.layer(x)), -1.0, 1.0)  # expect: DP402


def run(x: torch.Tensor):
    return Flow().cuda()(x.cuda())
