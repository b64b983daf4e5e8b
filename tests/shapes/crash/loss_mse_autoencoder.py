# torch 1.13: RuntimeError: The size of tensor a (768) must match the size of tensor b (784) at non-singleton dimension 1
import torch
from torch import nn

autoencoder = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 768))  # fixed: autoencoder = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 784))
x = torch.rand(16, 784)
loss = nn.MSELoss()(autoencoder(x), x)  # expect: DP605
