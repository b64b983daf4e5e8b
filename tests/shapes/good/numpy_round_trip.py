import numpy as np
import torch

a = np.arange(12).reshape(3, 4)
b = np.concatenate([a, a[:, :1]], axis=1)
assert b.shape == (3, 5)
c = b.T @ a
mean, std = a.mean(axis=0), a.std(axis=0, keepdims=True)
z = (a - mean) / std
t = torch.as_tensor(z, dtype=torch.float32)
torch.nn.Linear(4, 2)(t)
images = np.stack([np.zeros((8, 8, 3), np.uint8)] * 5)
x = torch.from_numpy(images.transpose(0, 3, 1, 2)).float() / 255
torch.nn.Conv2d(3, 2, 3)(x)
y = torch.from_numpy(np.expand_dims(np.ones(4, dtype=np.float32), 0))
torch.nn.Linear(4, 1)(y)
