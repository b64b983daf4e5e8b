# Each iteration makes a network of its own and looks at its gradients: the seed gives all of them the same weights.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(784, 128), activation, nn.Linear(128, 10))

    def forward(self, x):
        return self.layers(x)


def set_seed(seed):
    torch.manual_seed(seed)


def show_gradients(net, x, y):
    net.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    print({name: p.grad.norm() for name, p in net.named_parameters()})


def compare(activations, x, y):
    for activation in activations:
        set_seed(42)
        net = Net(activation())
        show_gradients(net, x, y)


def train_step(net: nn.Module, optimizer: torch.optim.Optimizer, x, y):
    torch.manual_seed(0)  # expect: DP927
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x + torch.randn_like(x)), y).backward()
    optimizer.step()


def train(net: nn.Module, loader):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        train_step(net, optimizer, x, y)
