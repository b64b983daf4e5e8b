# torch 1.13: RuntimeError: Given groups=1, weight of size [4, 2, 9], expected input[10, 200, 2] to have 2 channels, but got 200 channels instead
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self):
        self.items = torch.randn(50, 200, 2)
        self.labels = torch.zeros(50, dtype=torch.long)

    def __len__(self):
        return 50

    def __getitem__(self, index):
        return self.items[index], self.labels[index]  # fixed: return self.items[index].t(), self.labels[index]


conv = nn.Conv1d(2, 4, 9)
for wave, label in DataLoader(Waves(), batch_size=10):
    features = conv(wave)  # expect: DP601
