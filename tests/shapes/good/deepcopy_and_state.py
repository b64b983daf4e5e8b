import copy

import torch
from torch import nn

model = nn.Linear(3, 3)
target = copy.deepcopy(model)
target.load_state_dict(model.state_dict())
clones = nn.ModuleList([copy.deepcopy(model) for _ in range(3)])
x = torch.rand(1, 3)
for layer in clones:
    x = layer(x)
stacked = torch.stack([layer.weight for layer in clones])
assert stacked.shape == (3, 3, 3)
