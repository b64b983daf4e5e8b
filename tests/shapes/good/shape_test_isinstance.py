import numpy as np
import torch


def to_batch(x):
    if isinstance(x, np.ndarray):
        x = torch.from_numpy(x)
    if isinstance(x, (list, tuple)):
        x = torch.stack([torch.as_tensor(v) for v in x])
    if x.ndim == 3:
        x = x[None]
    return x.float()


conv = torch.nn.Conv2d(3, 2, 1)
conv(to_batch(np.zeros((3, 4, 4))))
conv(to_batch([torch.zeros(3, 4, 4), torch.zeros(3, 4, 4)]))
conv(to_batch(torch.zeros(1, 3, 4, 4, dtype=torch.uint8)))
