import numpy as np
import torch
from torch import nn

WEIGHTS = [0.2, 0.3, 0.5]


class Normalize(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.betas = np.linspace(0.1, 0.9, 10)
        self.table = [1.0, 2.0]
        self.seen = [0.0]
        self.filled = np.zeros(10)
        self.steps = steps

    def forward(self, x, t):
        mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1).to(x.device)  # hint: DP413
        scale = torch.tensor(self.table, device=x.device)  # expect: DP413
        beta = extract(self.betas, t)
        self.seen.append(1.0)
        self.filled[0] = 3.0
        grown = torch.tensor(self.seen, device=x.device)
        changed = torch.from_numpy(self.filled).to(x.device)
        sizes = torch.tensor([x.shape[0], 1], device=x.device)
        at_home = torch.tensor([1.0, 2.0])
        return (x - mean) * scale[0] * beta + grown.sum() + changed.sum() + sizes.sum() + at_home.sum()


def extract(array, t):
    return torch.from_numpy(array).to(device=t.device)[t].float()  # expect: DP413


def loss_of(out, y):
    weights = torch.tensor(WEIGHTS).cuda()  # hint: DP413
    return nn.functional.cross_entropy(out, y, weight=weights)


def train(batches):
    model = Normalize(3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prior = torch.tensor([0.5, 0.5]).cuda()
    for x, t, y in batches:
        loss = loss_of(model(x.cuda(), t.cuda()), y.cuda()) + prior.sum()  # hint: DP513
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
