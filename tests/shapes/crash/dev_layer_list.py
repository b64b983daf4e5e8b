# needs a GPU, not verified: torch does not notice the mix with the device "meta"
import torch
import torch.nn as nn


class Heads(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.heads = [nn.Linear(d, 1) for _ in range(n)]  # fixed: self.heads = nn.ModuleList([nn.Linear(d, 1) for _ in range(n)])
        self.trunk = nn.Linear(d, d)

    def forward(self, x):
        h = torch.relu(self.trunk(x))
        return torch.cat([head(h) for head in self.heads], dim=1)  # expect: DP608


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Heads(3, 8).to(device)
y = model(torch.ones(2, 8).to(device))
