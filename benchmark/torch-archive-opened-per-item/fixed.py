import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

SAMPLES = 400
LENGTH = 2000
BATCH = 20


class Recordings(Dataset):
    def __init__(self, path):
        self.recordings = np.load(path)
        self.count = self.recordings.shape[0]

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.from_numpy(self.recordings[index])


path = os.path.join(tempfile.mkdtemp(), "recordings.npy")
np.save(path, np.random.default_rng(0).random((SAMPLES, LENGTH), dtype=np.float32))
energy = []
for batch in DataLoader(Recordings(path), batch_size=BATCH):
    energy += batch.pow(2).mean(dim=1).tolist()

result = energy
