import numpy as np
import torch
from torch.utils.data import DataLoader, WeightedRandomSampler


def counted(labels: torch.Tensor):
    weights = 1.0 / torch.bincount(labels)
    return WeightedRandomSampler(weights, len(labels))  # expect: DP171


def counted_by_numpy(labels):
    counts = np.bincount(labels)
    weights = torch.from_numpy(len(labels) / counts)
    return WeightedRandomSampler(weights.double(), num_samples=len(labels), replacement=True)  # expect: DP171


def counted_by_comprehension(labels):
    count = np.array([(labels == c).sum() for c in np.unique(labels)])  # expect: DP162
    return torch.utils.data.sampler.WeightedRandomSampler(torch.tensor(1.0 / count), len(labels))  # expect: DP171


def for_each_sample(labels: torch.Tensor):
    weights = 1.0 / torch.bincount(labels)
    return WeightedRandomSampler(weights[labels], len(labels))


def for_each_label(labels):
    counts = np.bincount(labels)
    weights = [1.0 / counts[label] for label in labels]
    return WeightedRandomSampler(weights, len(labels))


def unknown(weights, dataset, sampler=None):
    WeightedRandomSampler(weights, len(weights))
    return DataLoader(dataset, batch_size=64, shuffle=sampler is None, sampler=sampler, num_workers=4)
