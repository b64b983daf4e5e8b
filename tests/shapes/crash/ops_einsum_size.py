# torch 1.13: RuntimeError: einsum(): subscript d has size 32 for operand 1 which does not broadcast with previously seen size 16
import torch

queries = torch.randn(2, 8, 10, 16)
keys = torch.randn(2, 8, 12, 32)  # fixed: keys = torch.randn(2, 8, 12, 16)
energy = torch.einsum("nhqd,nhkd->nhqk", queries, keys)  # expect: DP602
