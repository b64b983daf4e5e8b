# torch 1.13: RuntimeError: The size of tensor a (48) must match the size of tensor b (64) at non-singleton dimension 2
import torch
from torch import nn


class GPTEmbedding(nn.Module):
    def __init__(self, vocab, n_embd, block_size):
        super().__init__()
        self.wte = nn.Embedding(vocab, n_embd)
        self.wpe = nn.Embedding(block_size, 64)  # fixed: self.wpe = nn.Embedding(block_size, n_embd)

    def forward(self, idx):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device).unsqueeze(0)
        return self.wte(idx) + self.wpe(pos)  # expect: DP602


GPTEmbedding(100, 48, 32)(torch.randint(100, (2, 16)))
