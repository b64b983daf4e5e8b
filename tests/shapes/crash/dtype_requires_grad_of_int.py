# torch 1.13: RuntimeError: Only Tensors of floating point and complex dtype can require gradients
import torch

w = torch.tensor([1, 2, 3], requires_grad=True)  # expect: DP607  # fixed: w = torch.tensor([1.0, 2, 3], requires_grad=True)
