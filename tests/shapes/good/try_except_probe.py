import torch
from torch import nn

model = nn.Linear(10, 2)
for size in (8, 10):
    try:
        model(torch.zeros(1, size))
    except RuntimeError:
        print("does not take", size)
