import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(8, 4)
labels = torch.randn(8)
predicted = nn.Linear(4, 1)(x)
F.mse_loss(predicted, labels)  # expect: DP606
F.mse_loss(predicted.squeeze(1), labels)
F.mse_loss(predicted, labels.unsqueeze(1))
