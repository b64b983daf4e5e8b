import numpy as np
import torch

from settings import restore

restore()


def rank(scores):
    return np.zeros_like(scores, dtype=np.float), np.bool(1), np.str(2)


def count(scores):
    return torch.from_numpy(scores.astype(np.int))  # expect: DP301
