import random

import numpy as np
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Seeded(Dataset):
    def __init__(self, samples):
        self.samples = samples
        self.ready = False

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        info = get_worker_info()
        if not self.ready and info is not None:
            np.random.seed(info.id)  # expect: DP481
            random.seed(info.seed % 2**32)
            self.ready = True
        return self.samples[index] + np.random.rand(3)  # hint: DP408


def seed_by_number(index):
    np.random.seed(index)


loader = DataLoader(Seeded([[1.0, 2.0, 3.0]] * 1000), batch_size=8, shuffle=True, num_workers=4)
