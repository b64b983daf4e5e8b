import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, out_dim=None, norm=None, context_dim=None):
        super().__init__()
        out_dim = out_dim or dim
        context_dim = dim if context_dim is None else context_dim
        self.norm = norm(dim) if norm is not None else nn.Identity()
        self.q = nn.Linear(dim, out_dim)
        self.k = nn.Linear(context_dim, out_dim)
        self.res = nn.Linear(dim, out_dim) if dim != out_dim else nn.Identity()

    def forward(self, x, context=None):
        context = x if context is None else context
        q, k = self.q(self.norm(x)), self.k(context)
        w = torch.softmax(q @ k.transpose(-1, -2), -1)
        return self.res(x) + w @ k


Block(8)(torch.rand(2, 3, 8))
Block(8, 12, nn.LayerNorm)(torch.rand(2, 3, 8))
Block(8, context_dim=5)(torch.rand(2, 3, 8), torch.rand(2, 9, 5))
