# torch 1.13: RuntimeError: Expected hidden[0] size (2, 6, 20), got [6, 2, 20]
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, input_size=10, hidden_size=20, num_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)

    def forward(self, x):
        h0 = torch.zeros(x.size(0), self.num_layers, self.hidden_size)  # fixed: h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        c0 = torch.zeros(x.size(0), self.num_layers, self.hidden_size)  # fixed: c0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        out, _ = self.lstm(x, (h0, c0))  # expect: DP601
        return out


Net()(torch.randn(6, 9, 10))
