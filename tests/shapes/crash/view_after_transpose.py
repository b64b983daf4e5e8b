# torch 1.13: RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.
import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, n_embd=48, n_head=6):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (k.size(-1) ** -0.5)
        att = torch.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).view(B, T, C)  # expect: DP603  # fixed: y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


model = Attn()
out = model(torch.randn(3, 12, 48))
out.mean().backward()
