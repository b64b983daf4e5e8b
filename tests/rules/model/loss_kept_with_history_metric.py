import torch
import torch.nn as nn
from torchmetrics import Accuracy

net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
accuracy = Accuracy(task="multiclass", num_classes=3)


def train(loader):
    total, hits = 0, 0
    for x, y in loader:
        optimizer.zero_grad()
        out = net(x)
        loss = nn.functional.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        total += loss  # expect: DP230
        hits += accuracy(out, y)
    return total, hits
