# Hooks and wrappers are for models: a module without weights has none, and a try below the model needs none.
import torch
import torch.nn as nn


class Bins(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.register_buffer("bins", torch.linspace(0, 1, count))

    def forward(self, x):
        return (x.softmax(-1) * self.bins).sum(-1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)


class Targets:
    def __init__(self):
        self.bins = Bins(10)

    def build(self, x):
        return self.bins.forward(x)  # hint: DP808


def step(loader, optimizer):
    net = nn.parallel.DistributedDataParallel(Net())
    for x in loader:
        loss = net.forward(x).mean()  # expect: DP808
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    net = Net()
    print(net.forward(torch.zeros(1, 3)))  # hint: DP232, DP808
