import torch
import torch.nn as nn


class Fires(nn.Module):
    def __init__(self, n):  # expect: DP812
        """What it is."""
        super(Fires, self).__init__()
        self.n = n
        self.fc = nn.Linear(n, 4)


class FiresToo(torch.nn.Module):
    def __init__(self):  # expect: DP812
        super(FiresToo, self).__init__()
        self.weight = nn.Parameter(torch.zeros(3))


class Super(nn.Module):
    def __init__(self):
        super(Super, self).__init__()
        self.fc = nn.Linear(3, 4)


class Named(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.fc = nn.Linear(3, 4)


class Plain:
    def __init__(self):
        self.fc = nn.Linear(3, 4)


class NoModules(nn.Module):
    def __init__(self, n):
        self.n = n


class NoInit(nn.Module):
    def forward(self, x):
        return x


class Mixed(nn.Module, Plain):
    def __init__(self):
        self.fc = nn.Linear(3, 4)


class OfChild(Super):
    def __init__(self):
        self.n = 3
