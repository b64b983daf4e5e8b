# torch 1.13: RuntimeError: The size of tensor a (20) must match the size of tensor b (64) at non-singleton dimension 1
import torch
from torch import nn
class Tok(nn.Module):
    def __init__(self, v, d, n):
        super().__init__()
        self.tok = nn.Embedding(v, d)
        self.pos = nn.Parameter(torch.zeros(1, n, d))
    def forward(self, ids):
        return self.tok(ids) + self.pos  # expect: DP602  # fixed: return self.tok(ids) + self.pos[:, :ids.size(1)]
print(Tok(100, 16, 64)(torch.randint(0, 100, (2, 20))).shape)
