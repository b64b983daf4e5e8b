import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(64, 1000)
        self.embedding = nn.Embedding(1000, 64)
        self.embedding.weight[0] *= 0.5

    def forward(self, x):
        logits = torch.tanh(self.head(x) / 30.0)
        logits *= 30.0  # hint: DP873
        return logits


class Experts(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.experts = [nn.Linear(64, 64) for _ in range(count)]  # hint: DP237

    def forward(self, x):
        return sum(expert(x) for expert in self.experts)
