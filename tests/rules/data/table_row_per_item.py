import pandas as pd
import torch
import cv2
from torch.utils.data import Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.table = pd.read_csv(path)
        self.x = self.table["x"].to_numpy()
        self.first = self.table.iloc[0]

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.iloc[index]  # expect: DP415
        label = self.table.loc[index, "y"]  # expect: DP415
        header = self.table.iloc[0]
        return torch.tensor(row["x"]), label, self.x[index], header


def show(table):
    for i in range(3):
        print(table.iloc[i])


# Reading and decoding the picture takes far longer than reading the row.
class Pictures(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.iloc[index]  # hint: DP415
        image = cv2.imread(row.path)
        return image, row.label


# Which rows, an expression says: that is a query.
class Overlapping(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, interval):
        rows = self.table.iloc[self.table.index.overlaps(interval)]  # hint: DP415
        return rows
