# torch 1.13: RuntimeError: Given groups=1, weight of size [8, 3, 5, 5], expected input[10, 64, 64, 3] to have 3 channels, but got 64 channels instead
import numpy as np
import torch
from torch import nn

images = np.random.rand(10, 64, 64, 3).astype(np.float32)
x = torch.from_numpy(images)  # fixed: x = torch.from_numpy(images).permute(0, 3, 1, 2)

backbone = nn.Conv2d(3, 8, kernel_size=5, stride=2)
features = backbone(x)  # expect: DP601
print(features.shape)
