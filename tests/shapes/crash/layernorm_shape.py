# torch 1.13: RuntimeError: Given normalized_shape=[20], expected input with shape [*, 20], but got input of size[2, 5, 80]
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.norm = nn.LayerNorm(dim)  # fixed: self.norm = nn.LayerNorm(hidden)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.fc2(self.norm(self.fc1(x)))  # expect: DP601


Block(20, 80)(torch.randn(2, 5, 20))
