# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)
import torch

grid = torch.ones(3, 4)
total = grid.sum(dim=2)  # expect: DP604  # fixed: total = grid.sum(dim=1)
