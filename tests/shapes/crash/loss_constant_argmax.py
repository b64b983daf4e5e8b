# torch 1.13: no error
# wrong without an error: the index of the largest of one value is always 0
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
x = torch.rand(30, 4)
labels = torch.randint(0, 2, (30,))
predicted = model(x).argmax(dim=1)  # expect: DP614  # fixed: predicted = (model(x) > 0.5).squeeze(1).long()
accuracy = (predicted == labels).float().mean()
