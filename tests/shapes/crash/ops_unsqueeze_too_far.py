# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)
import torch

v = torch.arange(5)
m = v.unsqueeze(2)  # expect: DP604  # fixed: m = v.unsqueeze(1)
