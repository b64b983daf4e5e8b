import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def collate(batch):
    lengths = torch.tensor([len(sequence) for sequence in batch])
    return pad_sequence(batch, batch_first=True), lengths


class ByPair(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        states, _ = self.rnn(x)
        return self.head(states[:, -1])  # expect: DP298


class ByPlace(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lstm = nn.LSTM(size, 16, num_layers=2, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        out = self.lstm(x)[0]
        last = out[:, -1, :]  # expect: DP298
        return self.head(last)


class LastReal(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        states, _ = self.rnn(x)
        rows = torch.arange(len(states), device=states.device)
        return self.head(states[rows, lengths - 1])


class OneLength(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.head(states[:, -1])


class OverSteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        states, _ = self.rnn(x)
        return self.head(states[-1]), lengths


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        keep = torch.arange(x.size(1), device=x.device)[None] < lengths[:, None]
        states, _ = self.rnn(x * keep[..., None])
        return self.head(states[:, -1])
