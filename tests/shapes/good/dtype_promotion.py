import numpy as np
import torch
from torch import nn

i = torch.arange(4)
f = torch.rand(4)
assert (i + f).dtype == torch.float32
assert (i / 2).dtype == torch.float32
assert (i * 2.5).dtype == torch.float32
assert (f.double() + f).dtype == torch.float64
assert (f > 0.5).sum().dtype == torch.int64
x = torch.from_numpy(np.random.rand(3, 4)).float()
nn.Linear(4, 2)(x)
nn.Linear(4, 2).double()(x.double())
nn.Linear(4, 2, dtype=torch.float64)(torch.from_numpy(np.ones((3, 4))))
nn.Linear(4, 2)(torch.tensor(np.ones((3, 4)), dtype=torch.float32))
nn.Linear(4, 2)(torch.Tensor(np.ones((3, 4))))
nn.Linear(4, 2)(torch.FloatTensor([[1, 2, 3, 4]]))
nn.Embedding(9, 3)(torch.tensor([1, 2], dtype=torch.int32))
(i == 2).float().mean()
