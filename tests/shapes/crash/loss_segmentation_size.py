# torch 1.13: RuntimeError: size mismatch (got input: [2, 2, 62, 62] , target: [2, 64, 64]
import torch
import torch.nn as nn

model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 2, 1))  # fixed: model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))
criterion = nn.CrossEntropyLoss()
out = model(torch.rand(2, 1, 64, 64))
target = torch.zeros(2, 64, 64, dtype=torch.long)
loss = criterion(out, target)  # expect: DP605
