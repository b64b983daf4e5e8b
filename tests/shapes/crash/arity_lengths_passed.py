# torch 1.13: TypeError: Encoder.forward() takes 2 positional arguments but 3 were given
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)

    def forward(self, src):
        return self.emb(src).mean(1)


encoder = Encoder(50, 8)
src = torch.randint(50, (3, 9))
lengths = torch.tensor([9, 7, 5])
out = encoder(src, lengths)  # expect: DP610  # fixed: out = encoder(src)
