import random

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, target, h, ratio=0.5):
        batch, steps = target.shape
        token = target[:, 0]
        logits = []
        for t in range(1, steps):
            h = self.cell(self.emb(token), h)
            step = self.out(h)
            logits.append(step)
            token = target[:, t] if random.random() < ratio else step.argmax(-1)
        return torch.stack(logits, dim=1)


dec = Decoder(12, 8)
target = torch.randint(12, (3, 6))
scores = dec(target, torch.zeros(3, 8))
loss = nn.functional.cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten())
