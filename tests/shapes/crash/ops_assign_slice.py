# torch 1.13: RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 0.  Target sizes: [3, 8].  Tensor sizes: [2, 8]
import torch

board = torch.zeros(8, 8)
board[2:5, :] = torch.ones(2, 8)  # expect: DP602  # fixed: board[2:5, :] = torch.ones(3, 8)
