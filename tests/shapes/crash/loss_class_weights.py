# torch 1.13: RuntimeError: weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [2]
import torch
from torch import nn

weights = torch.tensor([0.2, 0.8])  # fixed: weights = torch.tensor([0.2, 0.5, 0.3])
criterion = nn.CrossEntropyLoss(weight=weights)
loss = criterion(torch.randn(4, 3), torch.tensor([0, 1, 2, 1]))  # expect: DP605
