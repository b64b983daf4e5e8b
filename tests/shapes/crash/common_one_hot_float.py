# torch 1.13: RuntimeError: one_hot is only applicable to index tensor.
import torch
import torch.nn.functional as F
labels = torch.tensor([0, 2, 1]).float()  # fixed: labels = torch.tensor([0, 2, 1])
print(F.one_hot(labels, 3).shape)  # expect: DP607
