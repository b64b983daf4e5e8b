# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 1 but got size 8 for tensor number 1 in the list.
import torch
from torch import nn

tokens = torch.randn(8, 49, 64)
cls_token = nn.Parameter(torch.randn(1, 1, 64))
x = torch.cat([cls_token, tokens], dim=1)  # expect: DP602  # fixed: x = torch.cat([cls_token.expand(8, -1, -1), tokens], dim=1)
