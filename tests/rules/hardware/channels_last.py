import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU()).cuda()


def train(loader, optimizer, scaler, criterion):
    for x, y in loader:
        with torch.autocast("cuda"):  # hint: DP512
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)


def evaluate(loader):
    with torch.no_grad(), torch.autocast("cuda"):
        for x in loader:
            print(model(x))
