# torch 1.13: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
import torch

w = torch.randn(4, requires_grad=True)
print(w.numpy())  # expect: DP609  # fixed: print(w.detach().numpy())
