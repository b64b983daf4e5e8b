# torch 1.13: RuntimeError: pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=6 is not divisible by 9
import torch
import torch.nn as nn

upscale = 3
net = nn.Sequential(
    nn.Conv2d(1, 64, 5, padding=2),
    nn.ReLU(),
    nn.Conv2d(64, upscale * 2, 3, padding=1),  # fixed: nn.Conv2d(64, upscale ** 2, 3, padding=1),
    nn.PixelShuffle(upscale),  # or here
)
out = net(torch.rand(1, 1, 20, 20))  # expect: DP601
