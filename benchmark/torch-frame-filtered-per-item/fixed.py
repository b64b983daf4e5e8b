import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset

USERS = 1500
ITEMS = 20
BATCH = 50


class UserHistories(Dataset):
    def __init__(self, ratings):
        self.ratings = {user: rows.to_numpy() for user, rows in ratings.groupby("user")["rating"]}
        self.users = ratings["user"].unique()

    def __len__(self):
        return len(self.users)

    def __getitem__(self, index):
        return torch.tensor(self.ratings[self.users[index]])


rng = np.random.default_rng(0)
ratings = pd.DataFrame({
    "user": rng.permutation(np.repeat(np.arange(USERS), ITEMS)),
    "rating": rng.integers(1, 6, USERS * ITEMS).astype(np.float32),
})
averages = []
for histories in DataLoader(UserHistories(ratings), batch_size=BATCH):
    averages += histories.mean(dim=1).tolist()

result = averages
