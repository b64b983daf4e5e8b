import torch
import torch.nn as nn
import torchvision


class Fires(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(8, 8)
        self.forgotten = nn.Linear(8, 8)  # expect: DP239
        self.norm_forgotten = nn.BatchNorm1d(8)  # expect: DP239
        self.activation = nn.ReLU()

    def forward(self, x):
        return self.used(x)


class Silent(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.by_helper = nn.Linear(8, 8)
        self.by_subclass = nn.Linear(8, 8)
        self.from_outside = nn.Linear(8, 8)
        self.for_checkpoints = nn.Linear(8, 8)

    def forward(self, x):
        return self.first(self.helper(x))

    def helper(self, x):
        return self.by_helper(x)

    def drop(self, state):
        state.pop("for_checkpoints")


class Sub(Silent):
    def forward(self, x):
        return self.by_subclass(x)


def outside(model):
    return model.from_outside.weight


class ByName(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer0 = nn.Linear(8, 8)
        self.layer1 = nn.Linear(8, 8)

    def forward(self, x):
        for i in range(2):
            x = getattr(self, f"layer{i}")(x)
        return x


class ByChildren(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(8, 8)
        self.two = nn.Linear(8, 8)

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x


class OfTorchvision(torchvision.models.ResNet):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 8)

    def forward(self, x):
        return super().forward(x)


class WithoutForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.later = nn.Linear(8, 8)


class First(nn.Module):
    def __init__(self):
        super().__init__()
        # What Second gives is asked for here, before its methods are walked.
        self.body = nn.Sequential(Second())

    def forward(self, x):
        return self.body(x)


class Second(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 3, 3)

    def forward(self, x):
        return self.convolution(x)


class Optional(nn.Module):
    def __init__(self, size, joined=False):
        super().__init__()
        self.layer = nn.Linear(size, size)
        if joined:
            self.joining = nn.Linear(size + size, size)  # hint: DP239

    def forward(self, x):
        return self.layer(x)
