import random

import torch
from torch import nn

n = random.randint(1, 9)
rows = torch.randn(n, 6)
weights = torch.randn(6, n)
square = rows @ weights
assert square.shape == (n, n)
half = rows[: n // 2 + 1]
nn.Linear(6, 2)(half)
mask = rows[:, 0] > 0
kept = rows[mask]
nn.Linear(6, 2)(kept)
both = torch.cat([kept, rows[~mask]])
