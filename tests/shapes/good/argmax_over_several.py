import torch
from torch import nn

logits = nn.Linear(3, 2)(torch.rand(5, 3))
pred = logits.argmax(1)
best = torch.rand(5, 1).argmax(0)
flat = torch.rand(5, 1).argmax()
top = torch.rand(1, 9).max(1)[1]
