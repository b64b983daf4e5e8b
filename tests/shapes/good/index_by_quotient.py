import torch

rows = torch.rand(10, 4)
flat = torch.arange(8)
print(rows[flat // 4].shape, rows[(flat / 4).long()].shape, rows[(rows[:, 0] > 0.5)].shape[1])
