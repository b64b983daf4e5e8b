import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab=40, dim=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids):
        return self.head(self.emb(ids))


assert LM()(torch.randint(40, (2, 5))).shape == (2, 5, 40)
