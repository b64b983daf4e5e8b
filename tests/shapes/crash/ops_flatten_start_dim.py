# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)
import torch

pooled = torch.randn(12, 64).flatten(2)  # expect: DP604  # fixed: pooled = torch.randn(12, 64).flatten(1)
