# torch 1.13: RuntimeError: pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=18 is not divisible by 4
import torch
from torch import nn
sr = nn.Sequential(nn.Conv2d(3, 3 * 6, 3, padding=1), nn.PixelShuffle(2))  # fixed: sr = nn.Sequential(nn.Conv2d(3, 3 * 4, 3, padding=1), nn.PixelShuffle(2))
print(sr(torch.randn(1, 3, 8, 8)).shape)  # expect: DP601
