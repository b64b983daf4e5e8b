# torch 1.13: ValueError: out_channels must be divisible by groups
import torch.nn as nn

layer = nn.Conv1d(in_channels=8, out_channels=12, kernel_size=3, groups=8)  # expect: DP611  # fixed: layer = nn.Conv1d(in_channels=8, out_channels=16, kernel_size=3, groups=8)
