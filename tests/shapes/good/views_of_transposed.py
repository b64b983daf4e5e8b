import torch
from torch import nn

heads = nn.Linear(8, 8)(torch.randn(2, 5, 8)).view(2, 5, 4, 2).transpose(1, 2)
print(heads.reshape(2, 4, 10).shape, heads.contiguous().view(2, 4, 10).shape)
print(heads.view(2, 4, 5, 1, 2).shape, heads.transpose(1, 2).view(2, 5, 8).shape)
print(torch.randn(3, 1, 6).transpose(0, 1).view(18).shape)
print(torch.randn(4, 6).t().view(6, 2, 2).shape)
print(torch.randn(4, 6, 2).permute(1, 0, 2).view(3, 2, 4, 2).shape)
rows = torch.randn(5, 3, 4)
print((rows @ rows.transpose(1, 2)).permute(0, 2, 1).permute(0, 2, 1).view(5, 9).shape)
