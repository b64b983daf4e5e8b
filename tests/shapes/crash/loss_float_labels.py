# torch 1.13: RuntimeError: expected scalar type Long but found Float
import numpy as np
import torch
from torch import nn

labels = np.random.randint(0, 3, 20).astype(np.float32)
y = torch.from_numpy(labels)
logits = nn.Linear(10, 3)(torch.randn(20, 10))
loss = nn.functional.cross_entropy(logits, y)  # expect: DP607  # fixed: loss = nn.functional.cross_entropy(logits, y.long())
