# torch 1.13: RuntimeError: grid_sampler(): expected grid and input to have same batch size, but got input with sizes [2, 3, 16, 16] and grid with sizes [1, 16, 16, 2]
import torch
import torch.nn.functional as F

image = torch.rand(2, 3, 16, 16)
theta = torch.eye(2, 3).unsqueeze(0)  # fixed: theta = torch.eye(2, 3).repeat(2, 1, 1)
grid = F.affine_grid(theta, (1, 3, 16, 16), align_corners=False)  # fixed: grid = F.affine_grid(theta, (2, 3, 16, 16), align_corners=False)
warped = F.grid_sample(image, grid, align_corners=False)  # expect: DP602
