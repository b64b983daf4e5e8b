import h5py
import numpy as np
import pandas as pd
from tensorflow import keras


class Patches(keras.utils.Sequence):
    def __init__(self, archive, size):
        self.archive = archive
        self.size = size
        self.order = np.arange(len(self.field("subject")))

    def field(self, name):
        with np.load(self.archive) as data:  # expect: DP406
            return data[name]

    def __len__(self):
        return len(self.order) // self.size

    def __getitem__(self, index):
        rows = self.order[index * self.size : (index + 1) * self.size]
        return self.field("patches")[rows], self.field("masks")[rows]


class Tables(keras.utils.PyDataset):
    def __init__(self, path, paths, size):
        super().__init__()
        self.path = path
        self.paths = paths
        self.size = size
        self.table = None
        self.labels = pd.read_csv(path)

    def __len__(self):
        return 100

    def shard(self, index):
        return np.load(self.paths[index])

    def __getitem__(self, index):
        rows = slice(index * self.size, (index + 1) * self.size)
        table = pd.read_csv(self.path)  # expect: DP406
        with h5py.File(self.path) as file:
            part = file["x"][rows]
        mapped = np.load(self.path, mmap_mode="r")[rows]
        if self.table is None:
            self.table = pd.read_parquet(self.path)
        return table[rows], part, mapped, self.shard(index), self.labels[rows]


class Loaded(keras.utils.Sequence):
    def __init__(self, archive):
        self.data = self.read(archive)

    def read(self, archive):
        return np.load(archive)

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.data[index]
