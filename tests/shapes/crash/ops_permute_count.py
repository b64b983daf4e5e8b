# torch 1.13: RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = 4 is not equal to len(dims) = 3
import torch

frames = torch.rand(16, 3, 224, 224)
frames = frames.permute(0, 2, 1)  # expect: DP604  # fixed: frames = frames.permute(0, 2, 1, 3)
