# torch 1.13: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, meta and cpu!
# needs a GPU
import torch
import torch.nn as nn


class Norm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.mean = torch.zeros(1, c, 1, 1)  # fixed: self.register_buffer("mean", torch.zeros(1, c, 1, 1))
        self.conv = nn.Conv2d(c, 8, 3)

    def forward(self, x):
        return self.conv(x - self.mean)  # expect: DP608


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
m = Norm(3).to(device)
y = m(torch.rand(2, 3, 16, 16, device=device))
