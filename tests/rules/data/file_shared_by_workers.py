import h5py
import lmdb
from torch.utils.data import Dataset


class Samples(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")  # hint: DP417
        self.base = lmdb.open(path)  # hint: DP417
        with h5py.File(path) as file:
            self.length = len(file["x"])
        self.late = None

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.late is None:
            self.late = h5py.File("x", "r")
        return self.late["x"][index], self.file["y"][index]


class Other:
    def __init__(self, path):
        self.file = h5py.File(path, "r")
