# torch 1.13: RuntimeError: For batched 3-D input, hx should also be 3-D but got 2-D tensor
import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, n_chars, hidden):
        super().__init__()
        self.hidden = hidden
        self.rnn = nn.RNN(n_chars, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n_chars)

    def init_hidden(self, batch):
        return torch.zeros(batch, self.hidden)  # fixed: return torch.zeros(1, batch, self.hidden)

    def forward(self, x, h):
        o, h = self.rnn(x, h)  # expect: DP604
        return self.out(o), h


model = CharRNN(26, 64)
state = model.init_hidden(4)
y, state = model(torch.zeros(4, 10, 26), state)
