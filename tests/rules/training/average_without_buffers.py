import copy

import torch
import torch.nn as nn
from torchvision.models import resnet18


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8), nn.ReLU())

    def forward(self, x):
        return self.body(x)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Dropout(0.1))

    def forward(self, x):
        return self.body(x)


class Ema:
    def __init__(self, model):
        self.module = copy.deepcopy(model).eval()

    @torch.no_grad()
    def update(self, model, decay=0.999):
        for average, current in zip(self.module.parameters(), model.parameters()):  # expect: DP907
            average.mul_(decay).add_(current, alpha=1 - decay)


class WithBuffers:
    def __init__(self, model):
        self.module = copy.deepcopy(model).eval()

    @torch.no_grad()
    def update(self, model, decay=0.999):
        for average, current in zip(self.module.parameters(), model.parameters()):
            average.mul_(decay).add_(current, alpha=1 - decay)
        for average, current in zip(self.module.buffers(), model.buffers()):
            average.copy_(current)


def interpolate(teacher, student, weight):
    for t, s in zip(teacher.parameters(), student.parameters()):  # expect: DP907
        t.data.lerp_(s.data, weight)


def assigned(model, average, decay):
    for p, q in zip(model.parameters(), average.parameters()):  # expect: DP907
        q.data = decay * q.data + (1 - decay) * p.data


def no_statistics(model, average, decay):
    for p, q in zip(model.parameters(), average.parameters()):
        q.data = decay * q.data + (1 - decay) * p.data


def compare(model, other):
    return sum((a - b).abs().sum() for a, b in zip(model.parameters(), other.parameters()))


net = Net()
ema = Ema(net)
ema.update(net)
other = WithBuffers(resnet18(num_classes=10))
other.update(net)
interpolate(copy.deepcopy(net).eval(), net, 0.01)
big = resnet18(num_classes=10)
assigned(big, copy.deepcopy(big), 0.99)
plain = Plain()
no_statistics(plain, copy.deepcopy(plain), 0.99)
compare(net, ema.module)
