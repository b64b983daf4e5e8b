# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x256 and 265x64)
import torch
from torch import nn
from collections import OrderedDict

net = nn.Sequential(OrderedDict([
    ("hidden", nn.Linear(784, 256)),
    ("act", nn.ReLU()),
    ("drop", nn.Dropout(0.2)),
    ("hidden2", nn.Linear(265, 64)),  # or here  # fixed: ("hidden2", nn.Linear(256, 64)),
    ("act2", nn.ReLU()),
    ("out", nn.Linear(64, 10)),
]))
net(torch.zeros(3, 784))  # expect: DP601
