# torch 1.13: RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [28, 28]
import torch
import torch.nn as nn

conv = nn.Conv2d(1, 4, 3)
image = torch.rand(28, 28)
out = conv(image)  # expect: DP604  # fixed: out = conv(image[None, None])
