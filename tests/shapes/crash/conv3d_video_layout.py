# torch 1.13: RuntimeError: Given groups=1, weight of size [8, 3, 3, 3, 3], expected input[2, 16, 3, 56, 56] to have 3 channels, but got 16 channels instead
import torch
import torch.nn as nn

clip = torch.randn(2, 16, 3, 56, 56)  # batch, time, channels, height, width
net = nn.Sequential(nn.Conv3d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1))  # or here
out = net(clip)  # expect: DP601  # fixed: out = net(clip.transpose(1, 2))
