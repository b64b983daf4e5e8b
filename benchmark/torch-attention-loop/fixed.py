import math

import torch

BATCH = 32
HEADS = 8
LENGTH = 12
WIDTH = 8
CALLS = 25


def attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v


torch.manual_seed(0)
q = torch.randn(BATCH, HEADS, LENGTH, WIDTH)
k = torch.randn(BATCH, HEADS, LENGTH, WIDTH)
v = torch.randn(BATCH, HEADS, LENGTH, WIDTH)
with torch.no_grad():
    for _ in range(CALLS):
        q = q + attention(q, k, v)

result = [q.mean().item(), q.std().item()]
