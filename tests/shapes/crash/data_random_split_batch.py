# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (160x8 and 64x1)
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

data = TensorDataset(torch.randn(100, 1, 8, 8), torch.randn(100, 1))
train, val = random_split(data, [80, 20])
model = nn.Linear(64, 1)
for image, value in DataLoader(train, batch_size=20):
    prediction = model(image)  # expect: DP601  # fixed: prediction = model(image.flatten(1))
