import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

x = torch.randn(4, 7, 10)
lengths = torch.tensor([7, 6, 5, 4])


class Tagger(nn.Module):
    def __init__(self, features=10, hidden=20):
        super().__init__()
        self.rnn = nn.LSTM(features, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(hidden, 5)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        output, (hidden, cell) = self.rnn(packed)
        output, lengths = pad_packed_sequence(output, batch_first=True)
        return self.head(output)  # expect: DP601


Tagger()(x, lengths)


def of_features():
    packed = pack_padded_sequence(x, lengths, batch_first=True)
    return nn.GRU(12, 20)(packed)  # expect: DP601


def of_states():
    packed = pack_padded_sequence(x, lengths, batch_first=True)
    output, state = nn.GRU(10, 20)(packed)
    return nn.Linear(40, 2)(state[-1])  # expect: DP601


def bags():
    return nn.Linear(32, 2)(nn.EmbeddingBag(100, 16)(torch.zeros(4, 7, dtype=torch.long)))  # expect: DP601


def silent(given):
    packed = pack_padded_sequence(x, lengths, batch_first=True)
    output, (hidden, cell) = nn.LSTM(10, 20, bidirectional=True, batch_first=True)(packed)
    padded, sizes = pad_packed_sequence(output, batch_first=True)
    nn.Linear(40, 2)(padded)
    nn.Linear(20, 2)(hidden[-1])
    nn.GRU(40, 3)(output)
    nn.LSTM(10, 20)(given)
    pad_packed_sequence(given)
    rows = nn.EmbeddingBag(100, 16)(torch.zeros(9, dtype=torch.long), torch.tensor([0, 4]))
    return nn.Linear(16, 2)(rows), sizes
