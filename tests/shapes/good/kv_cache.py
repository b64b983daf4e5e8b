import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)

    def forward(self, x, past=None):
        q, k, v = self.qkv(x).split(x.size(-1), dim=-1)
        if past is not None:
            k = torch.cat([past[0], k], dim=1)
            v = torch.cat([past[1], v], dim=1)
        a = torch.softmax(q @ k.transpose(1, 2), -1)
        return a @ v, (k, v)


layer, past = Cached(8), None
for _ in range(4):
    y, past = layer(torch.rand(2, 1, 8), past)
