# torch 1.13: TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, x):
        out, h = self.rnn(self.emb(x))
        return out, h


class Tagger(nn.Module):
    def __init__(self, vocab, dim, tags):
        super().__init__()
        self.encoder = Encoder(vocab, dim)
        self.cls = nn.Linear(dim, tags)

    def forward(self, x):
        h = self.encoder(x)  # fixed: h, _ = self.encoder(x)
        return self.cls(h)  # expect: DP610


tagger = Tagger(200, 24, 7)
scores = tagger(torch.randint(0, 200, (3, 9)))
print(scores.argmax(-1))
