import torch
from torch import nn

fc = nn.Linear(8, 4)


def apply(x):
    if x.dim() == 1:
        x = x.unsqueeze(0)
    if x.shape[-1] != 8:
        x = nn.functional.pad(x, (0, 8 - x.shape[-1]))
    return fc(x)


apply(torch.rand(8))
apply(torch.rand(3, 5))
apply(torch.rand(2, 3, 8))
