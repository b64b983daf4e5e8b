# torch 1.13: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, meta and cpu!
# needs a GPU
import torch
from torch import nn


class Scaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(5)  # fixed: self.register_buffer("scale", torch.ones(5))
        self.fc = nn.Linear(5, 5)

    def forward(self, x):
        return self.fc(x) * self.scale  # expect: DP608


model = Scaler().cuda()
y = model(torch.rand(2, 5).cuda())
