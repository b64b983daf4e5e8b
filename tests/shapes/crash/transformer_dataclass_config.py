# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (24x384 and 288x96)
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Config:
    vocab_size: int = 128
    n_embd: int = 96
    n_head: int = 4
    n_layer: int = 2
    mlp_ratio: int = 4


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, config.mlp_ratio * config.n_embd)
        self.act = nn.GELU()
        self.c_proj = nn.Linear(3 * config.n_embd, config.n_embd)  # fixed: self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd)

    def forward(self, x):
        return self.c_proj(self.act(self.c_fc(x)))  # expect: DP601


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln = nn.LayerNorm(config.n_embd)
        self.mlp = MLP(config)

    def forward(self, x):
        return x + self.mlp(self.ln(x))


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.emb = nn.Embedding(config.vocab_size, config.n_embd)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)

    def forward(self, idx):
        x = self.emb(idx)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


model = Model(Config())
logits = model(torch.randint(0, 128, (2, 12)))
