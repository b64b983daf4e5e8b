# torch 1.13: AssertionError: embed_dim must be divisible by num_heads
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--dim", type=int, default=100)
parser.add_argument("--heads", type=int, default=8)  # fixed: parser.add_argument("--heads", type=int, default=10)
parser.add_argument("--depth", type=int, default=2)
args = parser.parse_args()


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)  # expect: DP611
        self.mlp = nn.Sequential(nn.Linear(dim, dim * 4), nn.GELU(), nn.Linear(dim * 4, dim))

    def forward(self, x):
        h = self.norm(x)
        a, _ = self.attn(h, h, h)
        x = x + a
        return x + self.mlp(x)


model = nn.Sequential(*[Layer(args.dim, args.heads) for _ in range(args.depth)])
x = torch.randn(4, 16, args.dim)
print(model(x).mean())
