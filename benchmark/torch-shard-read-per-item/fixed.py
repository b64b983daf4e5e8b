import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

SHARDS = 4
WINDOWS = 150
LENGTH = 8000
BATCH = 20


class Windows(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths) * WINDOWS

    def __getitem__(self, index):
        shard, window = divmod(index, WINDOWS)
        recordings = np.load(self.paths[shard], mmap_mode="r")
        return torch.from_numpy(np.array(recordings[window]))


folder = tempfile.mkdtemp()
random = np.random.default_rng(0)
paths = [os.path.join(folder, f"{shard}.npy") for shard in range(SHARDS)]
for path in paths:
    np.save(path, random.random((WINDOWS, LENGTH), dtype=np.float32))
energy = []
for batch in DataLoader(Windows(paths), batch_size=BATCH):
    energy += batch.pow(2).mean(dim=1).tolist()

result = energy
