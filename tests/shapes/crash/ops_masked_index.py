# torch 1.13: IndexError: The shape of the mask [8] at index 0 does not match the shape of the indexed tensor [10, 4] at index 0
import torch

data = torch.randn(10, 4)
keep = torch.ones(8, dtype=torch.bool)  # fixed: keep = torch.ones(10, dtype=torch.bool)
kept = data[keep]  # expect: DP602
