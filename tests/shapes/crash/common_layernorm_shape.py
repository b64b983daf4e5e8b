# torch 1.13: RuntimeError: Given normalized_shape=[16], expected input with shape [*, 16], but got input of size[2, 7, 32]
import torch
from torch import nn
class Enc(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.proj = nn.Linear(d, 2 * d)
        self.norm = nn.LayerNorm(d)  # fixed: self.norm = nn.LayerNorm(2 * d)
    def forward(self, x):
        return self.norm(self.proj(x))  # expect: DP601
print(Enc(16)(torch.randn(2, 7, 16)).shape)
