import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset

USERS = 1500
ITEMS = 20
BATCH = 50


class UserHistories(Dataset):
    def __init__(self, ratings):
        self.ratings = ratings
        self.users = ratings["user"].unique()

    def __len__(self):
        return len(self.users)

    def __getitem__(self, index):
        rows = self.ratings[self.ratings["user"] == self.users[index]]
        return torch.tensor(rows["rating"].to_numpy())


rng = np.random.default_rng(0)
ratings = pd.DataFrame({
    "user": rng.permutation(np.repeat(np.arange(USERS), ITEMS)),
    "rating": rng.integers(1, 6, USERS * ITEMS).astype(np.float32),
})
averages = []
for histories in DataLoader(UserHistories(ratings), batch_size=BATCH):
    averages += histories.mean(dim=1).tolist()

result = averages
