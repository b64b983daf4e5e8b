# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x512 and 2048x10)
import torch
from torch import nn
from torchvision import models

model = models.resnet18()
model.fc = nn.Linear(2048, 10)  # fixed: model.fc = nn.Linear(512, 10)
out = model(torch.randn(2, 3, 64, 64))  # expect: DP601
