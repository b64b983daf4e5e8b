# torch 1.13: RuntimeError: einsum(): subscript d has size 12 for operand 1 which does not broadcast with previously seen size 16
import torch
q = torch.randn(2, 8, 10, 16)
k = torch.randn(2, 8, 12, 16)
print(torch.einsum('bhqd,bhdk->bhqk', q, k).shape)  # expect: DP602  # fixed: print(torch.einsum('bhqd,bhkd->bhqk', q, k).shape)
