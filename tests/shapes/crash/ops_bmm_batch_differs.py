# torch 1.13: RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [4, 6] but got: [3, 6].
import torch

left = torch.ones(4, 5, 6)
right = torch.ones(3, 6, 7)  # fixed: right = torch.ones(4, 6, 7)
torch.bmm(left, right)  # expect: DP602
