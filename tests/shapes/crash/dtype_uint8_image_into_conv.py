# torch 1.13: RuntimeError: Input type (unsigned char) and bias type (float) should be the same
import torch
from torch import nn

frame = torch.randint(0, 256, (1, 3, 84, 84), dtype=torch.uint8)
conv = nn.Conv2d(3, 16, 8, stride=4)
h = conv(frame)  # expect: DP607  # fixed: h = conv(frame.float() / 255)
