import pandas as pd
import torch
from torch.utils.data import Dataset


class Stays(Dataset):
    def __init__(self, path):
        self.rows = pd.read_csv(path)
        self.ids = self.rows["id"].unique()

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        rows = self.rows[self.rows["id"] == self.ids[i]]  # expect: DP118
        return torch.from_numpy(rows["x"].to_numpy())


class ByLoc(Dataset):
    def __init__(self, frame):
        self.frame = frame

    def __len__(self):
        return 10

    def __getitem__(self, i):
        label = self.frame.loc[self.frame.id == i, "label"]  # expect: DP118
        return label.iloc[0]


class Grouped(Dataset):
    def __init__(self, path):
        rows = pd.read_csv(path)
        self.first = rows[rows["id"] == 0]
        self.groups = [group for _, group in rows.groupby("id")]

    def __len__(self):
        return len(self.groups)

    def __getitem__(self, i):
        group = self.groups[i]
        chosen = group[group["x"] == 1]
        return torch.from_numpy(chosen["x"].to_numpy())
