# torch 1.13: RuntimeError: Padding length too large
import torch
import torch.nn.functional as F

series = torch.randn(8, 20)
padded = F.pad(series, (1, 1, 2, 2, 0, 0))  # expect: DP604  # fixed: padded = F.pad(series, (1, 1, 2, 2))
