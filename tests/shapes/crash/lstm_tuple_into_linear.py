# torch 1.13: TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple
import torch
from torch import nn


class LSTMRegressor(nn.Module):
    def __init__(self, n_features, hidden):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden, batch_first=True)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, x):
        out = self.lstm(x)  # fixed: out, _ = self.lstm(x)
        return self.linear(out)  # expect: DP610


model = LSTMRegressor(4, 16)
print(model(torch.randn(3, 7, 4)))
