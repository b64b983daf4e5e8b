# torch 1.13: RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [1, 4, 3, 32, 32]
import torch
from torch import nn

batch = torch.stack([torch.rand(3, 32, 32) for _ in range(4)])
net = nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU())
out = net(batch.unsqueeze(0))  # expect: DP604  # fixed: out = net(batch)
