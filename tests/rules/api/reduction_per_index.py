import numpy as np
import torch

CLASSES = 1000


def fires(labels: torch.Tensor, rewards: torch.Tensor, values: np.ndarray):
    a = torch.tensor([(labels == c).sum() for c in range(CLASSES)])  # expect: DP167
    b = [(labels == c).sum().item() for c in range(CLASSES)]  # expect: DP167
    c = [rewards[t:].sum().item() for t in range(CLASSES)]  # expect: DP167
    d = [np.sum(values[:t + 1]) for t in range(CLASSES)]  # expect: DP167
    return a, b, c, d


def perhaps(labels: torch.Tensor, n):
    return [(labels == c).sum() for c in range(n)]  # hint: DP167


def silent(labels: torch.Tensor, names, n):
    a = [(labels == c).sum() for c in range(3)]
    b = [(labels > c).sum() for c in range(CLASSES)]
    c = [labels[t:].max() for t in range(CLASSES)]
    d = [(names == c).sum() for c in range(CLASSES)]
    e = [labels[t:t + 5].sum() for t in range(CLASSES)]
    return a, b, c, d, e
