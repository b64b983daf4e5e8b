# torch 1.13: RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = 3 is not equal to len(dims) = 4
import torch
from torch import nn

net = nn.Conv2d(3, 3, 3, padding=1)
out = net(torch.rand(3, 20, 20))
picture = out.permute(0, 2, 3, 1).detach().numpy()  # expect: DP604  # fixed: picture = out.permute(1, 2, 0).detach().numpy()
