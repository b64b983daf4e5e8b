import numpy as np
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
model = nn.Linear(3, 1)
y = model(torch.from_numpy(np.random.rand(5, 3)))
z = model(torch.rand(5, 3))
