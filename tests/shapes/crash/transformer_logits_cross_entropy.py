# torch 1.13: RuntimeError: Expected target size [4, 65], got [4, 8]
import torch
import torch.nn as nn
import torch.nn.functional as F

vocab, dim = 65, 32
emb = nn.Embedding(vocab, dim)
head = nn.Linear(dim, vocab)
xb = torch.randint(vocab, (4, 8))
yb = torch.randint(vocab, (4, 8))
logits = head(emb(xb))
loss = F.cross_entropy(logits, yb)  # expect: DP605  # fixed: loss = F.cross_entropy(logits.view(-1, vocab), yb.view(-1))
