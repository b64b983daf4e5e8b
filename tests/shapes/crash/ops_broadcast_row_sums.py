# torch 1.13: RuntimeError: The size of tensor a (7) must match the size of tensor b (5) at non-singleton dimension 1
import torch

counts = torch.rand(5, 7)
probs = counts / counts.sum(1)  # expect: DP602  # fixed: probs = counts / counts.sum(1, keepdim=True)
