# torch 1.13: RuntimeError: The expanded size of the tensor (12) must match the existing size (6) at non-singleton dimension 1.  Target sizes: [4, 12].  Tensor sizes: [4, 6]
import torch

mask = torch.ones(4, 6)
wide = mask.expand(4, 12)  # expect: DP602  # fixed: wide = mask.repeat(1, 2)
