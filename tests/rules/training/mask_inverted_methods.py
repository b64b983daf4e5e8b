"""Masks that a method makes."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocabulary, dim=128, pad=0):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim, padding_idx=pad)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 4, batch_first=True), 2)

    def mask(self, ids):
        return ids != self.pad

    def padding(self, ids):
        return ids == self.pad

    def forward(self, ids):
        h = self.layers(self.embed(ids), src_key_padding_mask=self.mask(ids))  # expect: DP902
        h = self.layers(h, src_key_padding_mask=self.padding(ids))
        return self.layers(h, src_key_padding_mask=~self.mask(ids))


class Open(nn.Module):
    def __init__(self, dim=128, pad=0):
        super().__init__()
        self.pad = pad
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 4, batch_first=True), 2)

    def mask(self, ids):
        return ids != self.pad

    def forward(self, x, ids):
        return self.layers(x, src_key_padding_mask=self.mask(ids))


class Closed(Open):
    def mask(self, ids):
        return ids == self.pad
