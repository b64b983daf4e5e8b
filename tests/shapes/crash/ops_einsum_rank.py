# torch 1.13: RuntimeError: einsum(): the number of subscripts in the equation (2) does not match the number of dimensions (1) for operand 1 and no ellipsis was given
import torch

images = torch.rand(4, 3, 8, 8)
out = torch.einsum("bchw,cd->bdhw", images, torch.rand(3))  # expect: DP604  # fixed: out = torch.einsum("bchw,cd->bdhw", images, torch.rand(3, 6))
