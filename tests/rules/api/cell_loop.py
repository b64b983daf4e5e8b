import torch
from torch import nn


class Fires(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(64, 128)
        self.gru = nn.GRUCell(64, 128)
        self.embed = nn.Embedding(10, 64)

    def forward(self, x, h, c):
        outputs = []
        for t in range(x.size(0)):
            h, c = self.lstm(x[t], (h, c))  # expect: DP143
            outputs.append(h)
        return torch.stack(outputs)

    def other(self, tokens, h):
        for token in tokens.unbind(1):
            step = self.embed(token)
            h = self.gru(step, h)  # expect: DP143
        return h


class Silent(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lstm = nn.LSTMCell(64, 128)
        self.gru = nn.GRUCell(64, 128)
        self.layers = nn.ModuleList([nn.GRUCell(64, 64) for _ in range(n)])
        self.out = nn.Linear(128, 64)
        self.rnn = nn.LSTM(64, 128)

    def decode(self, x, h, c, n):
        for t in range(n):
            h, c = self.lstm(x, (h, c))
            x = self.out(h)
        return h

    def attend(self, x, h, c, memory, n):
        for t in range(n):
            context = memory * h
            h, c = self.lstm(torch.cat([x[t], context], 1), (h, c))
        return h

    def mask(self, x, h, masks, n):
        for t in range(n):
            h = self.gru(x[t], h)
            h = h * masks[t]
        return h

    def masked_before(self, x, h, masks, n):
        for t in range(n):
            h = self.gru(x[t], h * masks[t])
        return h

    def stack(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def single(self, x, h):
        return self.gru(x, h)

    def short(self, x, h):
        for t in range(3):
            h = self.gru(x[t], h)
        return h

    def fused(self, x):
        return self.rnn(x)
