import random

import torch
from torch import nn

wide = random.random() > 0.5
width = 64 if wide else 32
fc1 = nn.Linear(10, width)
fc2 = nn.Linear(width, 1)
fc2(fc1(torch.rand(2, 10)))

if wide:
    x = torch.zeros(4, 64)
else:
    x = torch.zeros(4, 32)
fc2(x)
