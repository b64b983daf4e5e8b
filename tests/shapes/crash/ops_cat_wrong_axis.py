# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 80 but got size 20 for tensor number 1 in the list.
import torch

train = torch.zeros(80, 5)
test = torch.zeros(20, 5)
everything = torch.cat([train, test], dim=1)  # expect: DP602  # fixed: everything = torch.cat([train, test], dim=0)
