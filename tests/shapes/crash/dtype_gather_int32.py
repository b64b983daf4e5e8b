# torch 1.13: RuntimeError: gather(): Expected dtype int64 for index
import torch

table = torch.randn(10, 4)
index = torch.zeros(3, 4, dtype=torch.int32)
rows = table.gather(0, index)  # expect: DP607  # fixed: rows = table.gather(0, index.long())
