# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import torch
import torch.nn as nn
import torch.nn.functional as F


class WordModel(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.vocab = vocab
        self.proj = nn.Linear(vocab, dim)

    def forward(self, ids):
        x = F.one_hot(ids, self.vocab)  # fixed: x = F.one_hot(ids, self.vocab).float()
        return self.proj(x)  # expect: DP607


WordModel(20, 8)(torch.randint(0, 20, (5,)))
