# torch 1.13: RuntimeError: running_mean should contain 32 elements not 16
import torch
import torch.nn as nn


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(cin)  # fixed: self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU()
        self.short = nn.Sequential()
        if stride != 1 or cin != cout:
            self.short = nn.Sequential(
                nn.Conv2d(cin, cout, 1, stride=stride, bias=False),
                nn.BatchNorm2d(cout))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))  # expect: DP601
        out = self.bn2(self.conv2(out))
        return self.relu(out + self.short(x))


class Net(nn.Module):
    def __init__(self, blocks, classes=10):
        super().__init__()
        self.planes = 16
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.l1 = self.make(16, blocks[0], 1)
        self.l2 = self.make(32, blocks[1], 2)
        self.fc = nn.Linear(32, classes)

    def make(self, planes, n, stride):
        layers = []
        for s in [stride] + [1] * (n - 1):
            layers.append(BasicBlock(self.planes, planes, s))
            self.planes = planes * BasicBlock.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.l2(self.l1(self.stem(x)))
        return self.fc(x.mean((2, 3)))


print(Net([2, 2])(torch.randn(2, 3, 32, 32)).shape)
