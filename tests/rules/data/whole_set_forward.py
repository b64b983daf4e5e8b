import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x_train = torch.from_numpy(np.load("x.npy"))
y_train = torch.from_numpy(np.load("y.npy")).long()
x_test = torch.from_numpy(np.load("test.npy"))
few = x_test[:100]
archive = np.load("all.npz")


def scale(x):
    return (x.float() / 255.0 - 0.5) / 0.25


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return x + self.conv(x).relu()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 3)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.stem(x).mean((2, 3)))


model = nn.Sequential(Block(3), Block(3), nn.Flatten(), nn.Linear(3072, 10))
other = Net()
dense = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train():
    for x, y in DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True):
        loss = F.cross_entropy(model(scale(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def predict():
    return model(scale(x_test)).argmax(1)  # expect: DP436


def predict_other(device):
    with torch.no_grad():
        from_archive = torch.tensor(archive["x_test"]).to(device)
        return other(from_archive).argmax(1)  # expect: DP436


# ---- Silent


@torch.no_grad()
def in_batches():
    return torch.cat([model(scale(part)).argmax(1) for part in x_test.split(256)])


@torch.no_grad()
def some():
    return model(scale(few)), model(scale(x_test[:64]))


@torch.no_grad()
def without_convolutions():
    return dense(x_test).argmax(1)


@torch.no_grad()
def one(path):
    return model(scale(torch.randn(1, 3, 32, 32)))


@torch.no_grad()
def given(x):
    return model(scale(x))
