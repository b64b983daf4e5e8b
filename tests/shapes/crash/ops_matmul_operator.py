# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (100x3 and 1x3)
import torch

inputs = torch.rand(100, 3)
weights = torch.rand(1, 3, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)


def model(x):
    return x @ weights + bias  # expect: DP602  # fixed: return x @ weights.t() + bias


preds = model(inputs)
