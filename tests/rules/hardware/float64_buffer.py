import numpy as np
import torch
from torch import nn


def grid(size, stride):
    centers = (np.arange(size // stride) + 0.5) * stride
    y, x = np.meshgrid(centers, centers, indexing="ij")
    return np.stack([x, y], axis=-1).reshape(-1, 2)


def single(size):
    return np.linspace(0, 1, size).astype(np.float32)


class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        anchors = torch.from_numpy(grid(size, 8))  # expect: DP531
        self.register_buffer("anchors", anchors, persistent=False)
        self.register_buffer("scale", torch.tensor(np.array([0.5, 2.0])))  # expect: DP531
        self.register_buffer("cast", torch.from_numpy(grid(size, 8)).float())
        self.register_buffer("single", torch.from_numpy(single(size)))
        self.register_buffer("late", torch.from_numpy(np.linspace(0, 1, size)))
        self.register_buffer("index", torch.from_numpy(np.arange(size)))
        self.register_buffer("typed", torch.tensor(np.ones(size), dtype=torch.float32))
        self.register_buffer("lone", torch.from_numpy(np.zeros(size)))
        self.register_buffer("numbers", torch.tensor([0.5, 2.0]))

    def forward(self, x):
        x = x + self.anchors[:, :2]
        x = x * self.cast + self.single * self.late.to(x.dtype)
        x = x[self.index] * self.typed
        return x * self.scale, self.lone, x * self.numbers
