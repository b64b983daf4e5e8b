import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.randn(8, 4)
model(x)  # expect: DP608
model(x.to(device))
there = x.to(device)
there + x  # expect: DP608
there * 2 + torch.tensor(1.0)
there.cpu() + x
