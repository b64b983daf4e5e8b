from collections import Counter

import numpy as np
import torch
from torch.utils.data import WeightedRandomSampler


def counted(targets):
    counts = Counter(targets)
    weights = torch.tensor([1.0 / counts[label] for label in sorted(counts)], dtype=torch.double)
    return WeightedRandomSampler(weights, num_samples=len(targets))  # expect: DP171


def by_values(targets):
    weights = [1.0 / count for count in Counter(targets).values()]
    return WeightedRandomSampler(weights, num_samples=len(targets))  # expect: DP171


def by_unique(targets):
    labels, counts = np.unique(targets, return_counts=True)
    weights = len(targets) / counts
    return WeightedRandomSampler(weights=weights, num_samples=len(targets), replacement=True)  # expect: DP171


def class_weights(targets):
    counts = torch.bincount(torch.as_tensor(targets)).float()
    return counts.sum() / counts


def by_function(targets):
    return WeightedRandomSampler(class_weights(targets), len(targets))  # expect: DP171


def by_loop(frame):
    weights = []
    for count in frame["label"].value_counts().sort_index().values:
        weights.append(1 / count)
    return WeightedRandomSampler(weights, num_samples=len(frame))  # expect: DP171


def written_down(dataset):
    return WeightedRandomSampler([0.1, 0.9], num_samples=len(dataset))  # expect: DP171


def sampler_of(weights, size):
    return WeightedRandomSampler(weights, size)  # expect: DP171


def given(targets):
    return sampler_of(1.0 / torch.bincount(targets), len(targets))


def each_sample(targets):
    counts = Counter(targets)
    weights = [1.0 / counts[label] for label in targets]
    return WeightedRandomSampler(weights, num_samples=len(targets))


def each_sample_by_class(targets):
    weights = class_weights(targets)
    samples = weights.index_select(0, targets)
    return WeightedRandomSampler(samples.double(), len(samples))


def each_sample_mapped(frame):
    weights = frame["label"].map(1 / frame["label"].value_counts())
    return WeightedRandomSampler(weights.values, num_samples=len(frame))


def each_sample_by_product(one_hot, targets):
    weights = one_hot @ (1.0 / torch.bincount(targets).float())
    return WeightedRandomSampler(weights, num_samples=len(targets))


def each_sample_unpacked(targets):
    labels, places, counts = np.unique(targets, return_inverse=True, return_counts=True)
    weights = 1.0 / counts[places]
    return WeightedRandomSampler(weights, num_samples=len(targets))


def unknown(weights, dataset):
    return WeightedRandomSampler(weights, num_samples=len(dataset))


def example():
    return list(WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, replacement=True))
