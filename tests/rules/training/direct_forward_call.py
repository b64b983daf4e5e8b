import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc.forward(x)  # hint: DP808

    def predict(self, x):
        return self.forward(x).argmax(1)  # hint: DP232, DP808

    def __call__(self, x):
        return self.forward(x)


class Child(Net):
    def forward(self, x):
        return super().forward(x) + super(Child, self).forward(x) + Net.forward(self, x)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x


def fires(x):
    model = Net().eval()
    model.register_forward_hook(print)
    return model.forward(x)  # expect: DP808


def silent(x, ctx, player):
    model = Net()
    player.forward(x)
    nn.MSELoss().forward(x, x)  # hint: DP808
    return model(x), Square.forward(ctx, x)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.ModuleDict({"first": Net(), "second": Net()})
        self.head = Outer()

    def forward(self, x):
        return self.head.net.forward(x)  # hint: DP808


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
