# torch 1.13: RuntimeError: stack expects each tensor to be equal size, but got [3, 8] at entry 0 and [3, 7] at entry 2
import torch

rows = [torch.zeros(3, 8), torch.zeros(3, 8), torch.zeros(3, 7)]  # fixed: rows = [torch.zeros(3, 8), torch.zeros(3, 8), torch.zeros(3, 8)]
batch = torch.stack(rows)  # expect: DP602
