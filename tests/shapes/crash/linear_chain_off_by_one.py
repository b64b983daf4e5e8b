# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x32 and 10x16)
import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(len(sizes) - 1):
            self.layers.append(nn.Linear(sizes[0], sizes[i + 1]))  # fixed: self.layers.append(nn.Linear(sizes[i], sizes[i + 1]))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))  # expect: DP601
        return x


mlp = MLP([10, 32, 16, 2])
mlp(torch.rand(1, 10))
