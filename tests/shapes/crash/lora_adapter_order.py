# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x32 and 4x32)
import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 4):
        super().__init__()
        self.base = base
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features) * 0.01)
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.lora_a @ self.lora_b  # expect: DP602  # fixed: return self.base(x) + x @ self.lora_a.t() @ self.lora_b.t()


layer = LoRALinear(nn.Linear(32, 64))
layer(torch.randn(2, 32))
