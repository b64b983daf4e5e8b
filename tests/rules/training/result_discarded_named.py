import torch
from torch import nn


def train(loader, optimizer: torch.optim.Optimizer):
    model = nn.Linear(8, 2)
    model.train  # expect: DP891
    for x, y in loader:
        optimizer.zero_grad  # expect: DP891
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    step = optimizer.step
    return model, step


def load(path):
    model = nn.Linear(8, 2)
    model = model.load_state_dict(torch.load(path, map_location="cpu"))  # expect: DP306, DP891
    other = nn.Linear(8, 2)
    result = other.load_state_dict(torch.load(path, map_location="cpu"), strict=False)  # expect: DP306
    return model, other, result
