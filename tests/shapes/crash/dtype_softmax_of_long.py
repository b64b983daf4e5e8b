# torch 1.13: RuntimeError: "softmax_lastdim_kernel_impl" not implemented for 'Long'
import torch
import torch.nn.functional as F

votes = torch.tensor([[3, 1, 4], [1, 5, 9]])
shares = F.softmax(votes, dim=1)  # expect: DP607  # fixed: shares = F.softmax(votes.float(), dim=1)
