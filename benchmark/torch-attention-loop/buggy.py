import math

import torch

BATCH = 32
HEADS = 8
LENGTH = 12
WIDTH = 8
CALLS = 25


def attention(q, k, v):
    out = torch.zeros_like(q)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = q[b, h] @ k[b, h].t() / math.sqrt(WIDTH)
            weights = torch.softmax(scores, dim=-1)
            out[b, h] = weights @ v[b, h]
    return out


torch.manual_seed(0)
q = torch.randn(BATCH, HEADS, LENGTH, WIDTH)
k = torch.randn(BATCH, HEADS, LENGTH, WIDTH)
v = torch.randn(BATCH, HEADS, LENGTH, WIDTH)
with torch.no_grad():
    for _ in range(CALLS):
        q = q + attention(q, k, v)

result = [q.mean().item(), q.std().item()]
