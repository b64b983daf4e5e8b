import torch
import torch.nn.functional as F

x = torch.rand(1, 1, 100, 80)
levels = [x]
while min(levels[-1].shape[-2:]) > 8:
    levels.append(F.avg_pool2d(levels[-1], 2))
total = sum(level.mean() for level in levels)
for small, large in zip(levels[1:], levels):
    up = F.interpolate(small, size=large.shape[-2:])
    difference = large - up
