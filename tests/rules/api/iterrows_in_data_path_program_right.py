import pandas as pd
import torch
from torch.utils.data import Dataset


class Ratings(Dataset):
    def __init__(self, csv):
        df = pd.read_csv(csv)
        self.users = torch.tensor(df["user"].values)
        self.items = torch.tensor(df["item"].values)
        self.ratings = torch.tensor(df["rating"].values)

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        return self.users[i], self.items[i], self.ratings[i]
