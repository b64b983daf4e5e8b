# torch 1.13: ValueError: expected 2D or 3D input (got 1D input)
import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, dims):
        super().__init__()
        blocks = []
        for a, b in zip(dims[:-1], dims[1:]):
            blocks += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()]
        self.net = nn.Sequential(*blocks)

    def forward(self, x):
        return self.net(x)  # expect: DP604


model = Embedder([10, 20, 30])
model.eval()
sample = torch.randn(10)
with torch.no_grad():
    emb = model(sample)  # fixed: emb = model(sample.unsqueeze(0))
print(emb)
