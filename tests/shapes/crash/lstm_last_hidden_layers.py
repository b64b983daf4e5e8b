# torch 1.13: ValueError: Expected input batch_size (3) to match target batch_size (8).
import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(16, 24, num_layers=3, batch_first=True)
        self.fc = nn.Linear(24, 4)

    def forward(self, x):
        _, (h, _) = self.rnn(x)
        return self.fc(h)  # fixed: return self.fc(h[-1])


enc = Encoder()
logits = enc(torch.randn(8, 10, 16))
loss = nn.CrossEntropyLoss()(logits, torch.randint(4, (8,)))  # expect: DP605
