# torch 1.13: IndexError: too many indices for tensor of dimension 2
import torch

logits = torch.randn(32, 10)
last = logits[:, -1, :]  # expect: DP604  # fixed: last = logits[:, None, :][:, -1, :]
