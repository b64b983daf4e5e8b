import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.lstm = nn.LSTM(64, 128, num_layers=2)
        self.gru = nn.GRU(64, 128, batch_first=True)
        self.attention = nn.MultiheadAttention(64, 4)
        self.out = nn.Linear(128, 2)

    def forward(self, ids):
        out, _ = self.lstm(self.embed(ids))
        return self.out(out[:, -1])  # expect: DP899

    def first(self, ids):
        x = self.embed(ids)
        mixed = self.attention(x, x, x)[0]  # expect: DP179
        return mixed[:, 0, :]  # expect: DP899

    # ---- silent

    def batches_first(self, ids):
        out, _ = self.gru(self.embed(ids))
        return self.out(out[:, -1])

    def turned(self, ids):
        out, _ = self.lstm(self.embed(ids).transpose(0, 1))
        return self.out(out.transpose(0, 1)[:, -1])

    def last_time(self, ids):
        out, _ = self.lstm(self.embed(ids))
        return self.out(out[-1])

    def another(self, ids):
        out, _ = self.lstm(self.embed(ids))
        out = self.out(out)
        return out[:, -1]
