import pandas as pd
import torch
from torch.utils.data import Dataset


class Ratings(Dataset):
    def __init__(self, csv):
        df = pd.read_csv(csv)
        self.rows = []
        for _, r in df.iterrows():  # expect: DP144
            self.rows.append((r["user"], r["item"], r["rating"]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        u, it, r = self.rows[i]
        return torch.tensor(u), torch.tensor(it), torch.tensor(r)
