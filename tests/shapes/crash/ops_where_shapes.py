# torch 1.13: RuntimeError: The size of tensor a (6) must match the size of tensor b (5) at non-singleton dimension 1
import torch

scores = torch.randn(6, 5)
valid = torch.ones(6, dtype=torch.bool)
cleaned = torch.where(valid, scores, torch.zeros(6, 5))  # expect: DP602  # fixed: cleaned = torch.where(valid[:, None], scores, torch.zeros(6, 5))
