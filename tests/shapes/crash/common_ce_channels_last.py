# torch 1.13: RuntimeError: Expected target size [8, 100], got [8, 20]
import torch
import torch.nn.functional as F
logits = torch.randn(8, 20, 100)
target = torch.randint(0, 100, (8, 20))
print(F.cross_entropy(logits, target))  # expect: DP605  # fixed: print(F.cross_entropy(logits.transpose(1, 2), target))
