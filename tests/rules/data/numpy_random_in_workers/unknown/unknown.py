import numpy as np
import torch
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, data):
        self.data = data
        self.order = np.random.permutation(len(data))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        x = self.data[index]
        if np.random.rand() < 0.5:  # hint: DP408
            x = x[::-1]
        return x + torch.randn(())
