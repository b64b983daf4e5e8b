# torch 1.13: ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [16, 16] and output size of (32, 32, 3). Please provide input tensor in (N, C, d1
import torch
import torch.nn.functional as F

low = torch.rand(1, 3, 16, 16)
high = F.interpolate(low, size=(32, 32, 3), mode="bilinear", align_corners=False)  # expect: DP604  # fixed: high = F.interpolate(low, size=(32, 32), mode="bilinear", align_corners=False)
