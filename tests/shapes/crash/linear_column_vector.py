# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x100 and 1x20)
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.linspace(-1, 1, 100)  # fixed: x = torch.linspace(-1, 1, 100).unsqueeze(1)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))  # or here
print(net(x))  # expect: DP601
