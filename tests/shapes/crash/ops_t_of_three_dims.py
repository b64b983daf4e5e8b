# torch 1.13: RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D
import torch

batch = torch.randn(2, 3, 4)
turned = batch.t()  # expect: DP604  # fixed: turned = batch.transpose(1, 2)
