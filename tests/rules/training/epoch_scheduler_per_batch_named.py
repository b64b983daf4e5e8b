"""The number of epochs under another name."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


class Optimization:
    def __init__(self, model, args):
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
        total = args.epochs
        self.schedule = get_linear_schedule_with_warmup(self.optimizer, 0, total)

    def step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class Counted:
    def __init__(self, model, args, loader):
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
        total = args.epochs * len(loader)
        self.schedule = get_linear_schedule_with_warmup(self.optimizer, 0, total)

    def step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def train(model: nn.Module, loader: DataLoader, args):
    short = Optimization(model, args)
    counted = Counted(model, args, loader)
    length = args.epochs
    cosine = CosineAnnealingLR(short.optimizer, T_max=length)
    for epoch in range(args.epochs):
        for x, y in loader:
            short.step(nn.functional.cross_entropy(model(x), y))
            counted.step(nn.functional.cross_entropy(model(x), y))
            short.schedule.step()  # expect: DP872
            counted.schedule.step()
            cosine.step()  # expect: DP872
