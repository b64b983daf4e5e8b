import os
import pickle

import h5py
import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


class Frames(Dataset):
    def __init__(self, path, table):
        self.path = path
        self.table = table
        self.file = None
        self.rows = pd.read_csv(table)

    def __len__(self):
        return 10

    def __getitem__(self, index):
        with h5py.File(self.path, "r") as file:  # expect: DP406
            frame = file["frames"][index]
        rows = pd.read_csv(self.table)  # expect: DP406
        name = os.path.join(self.path, "labels.npy")
        labels = np.load(name)  # expect: DP406
        return frame, rows.iloc[index], labels[index]  # hint: DP415


class SampleDataset:
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 10

    def __getitem__(self, i):
        return np.load("all.npy")[i]  # expect: DP406


class Filtered(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __getitem__(self, index):
        if np.load(self.path)[index] > 0:  # expect: DP406
            return 1
        if self.file is None and np.load(self.path)[index] > 0:
            return 2
        elif np.load(self.path)[index] < 0:
            return 3
        return 0


class OnePerItem(Dataset):
    def __init__(self, paths, root):
        self.paths = paths
        self.root = root
        self.file = None

    def __getitem__(self, index):
        a = np.load(self.paths[index])
        path = os.path.join(self.root, f"{index}.npy")
        b = np.load(path)
        with h5py.File(self.name_of(index)) as file:
            c = file["x"][()]
        if self.file is None:
            self.file = h5py.File(self.root, "r")
        name, offset = self.paths[index]
        d = pd.read_csv(name, skiprows=offset)
        with open(path, "rb") as stream:
            e = pickle.load(stream)
        return a, b, c, d, e

    def name_of(self, index):
        return self.paths[index]

    def load_all(self):
        return np.load(self.root)


class Table:
    def __getitem__(self, index):
        return pd.read_csv("table.csv").iloc[index]


def collate(batch):
    return torch.stack(batch), np.load("mean.npy")


class Lines(Dataset):
    def __init__(self, path):
        self.path = path
        self.offsets = [0, 10]

    def __getitem__(self, index):
        with open(self.path) as file:  # expect: DP406
            line = file.readlines()[index]
        with open(self.path) as file:
            file.seek(self.offsets[index])
            other = file.read()
        with open(f"{self.path}/{index}.txt") as file:
            text = file.read()
        return line, other, text


def read_index(folder):
    with open(folder + "/index.pkl", "rb") as file:
        return pickle.load(file)


def read_array(path):
    return np.load(path)


class Indexed(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.size = len(read_index(folder))

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        entry = read_index(self.folder)[index]  # expect: DP406
        return read_array(entry["path"])
