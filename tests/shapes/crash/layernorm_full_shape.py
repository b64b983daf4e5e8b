# torch 1.13: RuntimeError: Given normalized_shape=[32, 8, 8], expected input with shape [*, 32, 8, 8], but got input of size[4, 32, 16, 16]
import torch
from torch import nn

conv = nn.Sequential(
    nn.Conv2d(3, 16, 4, 2, 1),
    nn.LayerNorm([16, 32, 32]),  # or here
    nn.LeakyReLU(0.2),
    nn.Conv2d(16, 32, 4, 2, 1),
    nn.LayerNorm([32, 8, 8]),  # or here  # fixed: nn.LayerNorm([32, 16, 16]),
)
conv(torch.randn(4, 3, 64, 64))  # expect: DP601
