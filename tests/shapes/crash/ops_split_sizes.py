# torch 1.13: RuntimeError: split_with_sizes expects split_sizes to sum exactly to 30 (input tensor's size at dimension 1), but got split_sizes=[10, 10, 5]
import torch

x = torch.randn(4, 30)
mu, logvar, rest = torch.split(x, [10, 10, 5], dim=1)  # expect: DP603  # fixed: mu, logvar, rest = torch.split(x, [10, 10, 10], dim=1)
