import numpy as np
import torch
from torch.utils.data import Dataset


def batches(grams, size):
    inputs = []
    for word, target in grams:
        inputs.append(np.eye(size)[word])  # expect: DP190
    rows = [torch.eye(size)[word] for word, _ in grams]  # expect: DP190
    table = np.eye(size)
    known = [table[word] for word, _ in grams]
    labels = np.array([word for word, _ in grams])
    for _ in range(3):
        labels = labels + 1
    return inputs, rows, known, np.eye(size)[labels]


class Words(Dataset):
    def __init__(self, labels, size):
        self.labels = list(labels)
        self.size = size

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return np.eye(self.size)[self.labels[index]]  # expect: DP190
