import numpy as np
import torch

SIZE = 120

rng = np.random.default_rng(0)
left = rng.normal(size=(SIZE, SIZE))
core = rng.normal(size=(SIZE, SIZE))
right = rng.normal(size=(SIZE, SIZE))


def bilinear(left, core, right):
    return np.einsum("ij,jk,kl->il", left, core, right)


scores = torch.from_numpy(bilinear(left, core, right))
result = [scores.mean().item(), scores.abs().max().item()]
