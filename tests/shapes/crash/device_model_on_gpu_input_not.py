# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(10, 5), nn.ReLU(), nn.Linear(5, 2)).to(device)
x = torch.randn(4, 10)
out = model(x)  # expect: DP608  # fixed: out = model(x.to(device))
