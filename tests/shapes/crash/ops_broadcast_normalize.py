# torch 1.13: RuntimeError: The size of tensor a (64) must match the size of tensor b (3) at non-singleton dimension 3
import torch

mean = torch.tensor([0.485, 0.456, 0.406])
std = torch.tensor([0.229, 0.224, 0.225])
batch = torch.rand(8, 3, 64, 64)
normalized = (batch - mean) / std  # expect: DP602  # fixed: normalized = (batch - mean[:, None, None]) / std[:, None, None]
