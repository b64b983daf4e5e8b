# DP230
import torch
from torch import nn

torch.manual_seed(2)


def train(batches):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    seen = 0
    weighted = 0
    for x, y in batches:
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(model(x), y)
        loss.backward()
        optimizer.step()
        weighted = weighted + loss * x.size(0)
        seen += x.size(0)
    print("mean", float(weighted) / seen)


train([(torch.randn(n, 4), torch.randn(n, 1)) for n in (3, 5, 8)])
