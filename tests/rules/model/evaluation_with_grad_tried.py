# Nothing is trained or loaded here: somebody looks at what a layer does.
import torch
from torch import nn

layer = nn.Linear(8, 3)
example = torch.rand(2, 8)
print(layer(example).argmax(1))  # hint: DP232
