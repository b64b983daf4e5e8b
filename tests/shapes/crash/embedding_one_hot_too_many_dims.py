# torch 1.13: RuntimeError: Expected target size [6, 2], got [6]
import torch
import torch.nn as nn
import torch.nn.functional as F


class BagOfWords(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 10)
        self.fc = nn.Linear(10, 2)

    def forward(self, x):
        e = self.emb(x)
        #+ e = e.mean(dim=1)
        return self.fc(e)


scores = BagOfWords()(torch.randint(30, (6, 4)))
loss = F.cross_entropy(scores, torch.tensor([0, 1, 0, 1, 1, 0]))  # expect: DP605
