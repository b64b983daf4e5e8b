# nn.TransformerEncoder takes and gives what its layer does.
import torch
from torch import nn


class Windows(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.project = nn.Linear(6, width)
        layer = nn.TransformerEncoderLayer(width, 4, dropout=0.1)
        self.blocks = nn.TransformerEncoder(layer, 2)
        self.inline = nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model=width, nhead=4), num_layers=2)
        self.ordered = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 4, batch_first=True), 2)
        self.answer = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, 4), 2)
        self.classes = nn.Linear(width, 5)

    def forward(self, x):
        h = self.blocks(self.project(x))
        return self.classes(h.mean(dim=1))  # expect: DP899

    def first(self, x):
        h = self.inline(self.project(x))
        return self.classes(h[:, 0])  # expect: DP899

    def last(self, x, memory):
        return self.classes(self.answer(x, memory)[:, -1])  # expect: DP899

    # ---- silent

    def over_time(self, x):
        return self.classes(self.blocks(self.project(x)).mean(dim=0))

    def right(self, x):
        return self.classes(self.ordered(self.project(x))[:, 0])

    def turned(self, x):
        h = self.blocks(self.project(x).transpose(0, 1)).transpose(0, 1)
        return self.classes(h[:, 0])


class Given(nn.Module):
    def __init__(self, layer, options):
        super().__init__()
        self.passed = nn.TransformerEncoder(layer, 2)
        self.optional = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, **options), 2)

    def forward(self, x):
        return self.passed(x)[:, 0]

    def other(self, x):
        return self.optional(x)[:, 0]
