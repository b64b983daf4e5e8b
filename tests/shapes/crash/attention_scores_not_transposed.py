# torch 1.13: RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [8, 16] but got: [8, 10].
import math

import torch


def attention(query, key, value):
    d_k = query.size(-1)
    scores = torch.matmul(query, key) / math.sqrt(d_k)  # expect: DP602  # fixed: scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    return torch.matmul(torch.softmax(scores, dim=-1), value)


q = torch.randn(2, 4, 10, 16)
out = attention(q, q, q)
