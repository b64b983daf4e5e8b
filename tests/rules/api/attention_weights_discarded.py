import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.attention = nn.MultiheadAttention(size, 8, batch_first=True)
        self.other = nn.MultiheadAttention(size, 8, batch_first=True)
        self.last = None

    def first(self, x):
        return x + self.attention(x, x, x)[0]  # expect: DP179

    def unpacked(self, x, mask):
        y, _ = self.attention(x, x, x, key_padding_mask=mask)  # expect: DP179
        return x + y

    def named(self, x):
        y, weights = self.other(x, x, x)  # expect: DP179
        return x + y

    def given(self, x):
        return x + self.attention(x, x, x, need_weights=False)[0]

    def given_by_place(self, x):
        return x + self.attention(x, x, x, None, False)[0]

    def wanted(self, x):
        y, weights = self.attention(x, x, x)
        return x + y, weights

    def kept(self, x):
        y, self.last = self.attention(x, x, x)
        return x + y

    def weights_only(self, x):
        return self.attention(x, x, x)[1]

    def whole(self, x):
        return self.attention(x, x, x)

    def by_settings(self, x, settings):
        return self.attention(x, x, x, **settings)[0]


class Own(nn.Module):
    def forward(self, q, k, v):
        return torch.softmax(q @ k.transpose(-2, -1), -1) @ v, None  # expect: DP151


def of_own(size, x):
    attention = Own()
    y, _ = attention(x, x, x)
    return y
