# torch 1.13: RuntimeError: Tensors must have same number of dimensions: got 2 and 1
import torch

features = torch.randn(32, 10)
age = torch.randn(32)
joined = torch.cat((features, age), dim=1)  # expect: DP604  # fixed: joined = torch.cat((features, age.unsqueeze(1)), dim=1)
