# DP302
import torch

print(torch.ger(torch.arange(3.0), torch.arange(4.0)))
print([torch.ger(v, v).sum().item() for v in (torch.ones(2), torch.ones(3))])
