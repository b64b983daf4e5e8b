# torch 1.13: RuntimeError: Given groups=1, weight of size [16, 1, 7], expected input[1, 64, 1000] to have 1 channels, but got 64 channels instead
import torch
from torch import nn

signal = torch.randn(64, 1000)
conv = nn.Conv1d(1, 16, kernel_size=7, stride=2)
out = conv(signal)  # expect: DP601  # fixed: out = conv(signal.unsqueeze(1))
print(out.shape)
