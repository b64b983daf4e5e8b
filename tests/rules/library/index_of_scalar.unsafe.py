import torch
import torch.nn.functional as F
from torch import nn

criterion = nn.CrossEntropyLoss()
per_sample = nn.CrossEntropyLoss(reduction="none")


def train(model, x, y):
    loss = criterion(model(x), y)
    loss.backward()
    print(loss.item())  # expect: DP874
    return loss.item()  # expect: DP874


def others(model: nn.Linear, x, y):
    first = F.mse_loss(model(x), y)  # hint: DP232
    second = model(x).pow(2).mean()
    third = first + 0.1 * second
    fourth = torch.sum(model(x))
    return first.item(), second.item(), third.item(), fourth.item(), F.l1_loss(model(x), y).cpu().item()  # expect: DP874


def fine(model: nn.Linear, x, y):
    each = per_sample(model(x), y)  # hint: DP232
    rows = model(x).sum(dim=1)
    unknown = x.thing()
    return each.data[0], rows.data[0], unknown.data[0], model(x).data[0], each.data[1], criterion(model(x), y).item()
