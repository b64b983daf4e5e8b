import torch
from torch import nn

lstm = nn.LSTM(4, 8)
head = nn.Linear(8, 2)
head(lstm(torch.randn(5, 1, 4)))  # expect: DP610
head(lstm(torch.randn(5, 1, 4))[0])


class Two(nn.Module):
    def forward(self, a, b):
        return a + b


Two()(torch.randn(3), torch.randn(3))
Two()(torch.randn(3))  # expect: DP610
