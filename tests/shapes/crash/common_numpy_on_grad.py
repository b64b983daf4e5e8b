# torch 1.13: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
import torch
w = torch.randn(3, requires_grad=True)
loss = (w * 2).sum()
history = [loss.numpy()]  # expect: DP609  # fixed: history = [loss.detach().numpy()]
