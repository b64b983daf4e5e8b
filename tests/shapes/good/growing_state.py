import torch
from torch import nn

lm = nn.Sequential(nn.Embedding(11, 8), nn.Linear(8, 11))
ids = torch.zeros(1, 1, dtype=torch.long)
for _ in range(7):
    logits = lm(ids)[:, -1]
    ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
assert ids.shape == (1, 8)
