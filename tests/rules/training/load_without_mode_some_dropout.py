# The same with a rate that drops.
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.project = nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(self.project(x))


model = Attention(8, 0.1)
loader = torch.utils.data.DataLoader(torch.rand(64, 8), batch_size=8)
with torch.no_grad():
    for batch in loader:
        print(model(batch).mean())  # expect: DP813
