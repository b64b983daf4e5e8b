# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)
import torch

matrix = torch.zeros(5, 3)
flipped = matrix.transpose(1, 2)  # expect: DP604  # fixed: flipped = matrix.transpose(0, 1)
