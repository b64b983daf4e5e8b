import csv

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name != "price"]
    x = torch.tensor([[float(row[name]) for name in names] for row in rows])
    return x, torch.tensor([float(row["price"]) for row in rows]).log1p()


class Scaled(nn.Module):
    def __init__(self, x, size):
        super().__init__()
        self.register_buffer("mean", x.mean(0))
        self.head = nn.Linear(size, 1)

    def forward(self, x):
        return self.head(x - self.mean)


def main(path):
    x, y = read(path)
    train, test = random_split(TensorDataset(x, y), [0.8, 0.2])
    model = Scaled(x[train.indices], x.size(1))
    for inputs, prices in DataLoader(train, 128, shuffle=True):
        F.mse_loss(model(inputs), prices).backward()  # expect: DP606
    for inputs, prices in DataLoader(test, 128):
        F.mse_loss(model(inputs).squeeze(-1), prices).backward()


main("prices.csv")
