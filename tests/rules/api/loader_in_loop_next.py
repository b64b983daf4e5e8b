import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def sample(loader):
    return next(iter(loader))  # expect: DP131


def train(model: torch.nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    for step in range(10000):
        x, y = sample(loader)
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


def show(dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    return next(iter(loader))
