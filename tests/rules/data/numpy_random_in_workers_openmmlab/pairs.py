import mmengine
import numpy as np
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, path):
        self.items = mmengine.load(path)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index], self.items[np.random.randint(len(self.items))]
