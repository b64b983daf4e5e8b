import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.layer(x))


@torch.no_grad()
def example(model: Net, x: torch.Tensor, limit: int):
    model.eval()  # expect: DP806
    if len(x) < limit:
        print(model(x))
        model.train()
    else:
        print("too long")


@torch.no_grad()
def restored(model: Net, x: torch.Tensor, limit: int):
    model.eval()
    if len(x) < limit:
        print(model(x))
    model.train()


@torch.no_grad()
def as_before(model: Net, x: torch.Tensor):
    was_training = model.training
    model.eval()
    print(model(x))
    if was_training:
        model.train()


@torch.no_grad()
def both(model: Net, x: torch.Tensor, limit: int):
    model.eval()
    if len(x) < limit:
        print(model(x))
        model.train()
    else:
        model.train()


def train(model: Net, loader, optimizer: torch.optim.Optimizer):
    for epoch in range(10):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        example(model, x, 3)
        restored(model, x, 3)
        as_before(model, x)
        both(model, x, 3)
