# torch 1.13: RuntimeError: Given groups=1, weight of size [16, 16, 1, 1], expected input[1, 64, 16, 16] to have 16 channels, but got 64 channels instead
import torch
from torch import nn


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1)
        self.conv3 = nn.Conv2d(planes, planes * self.expansion, 1)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        identity = x
        out = self.relu(self.conv1(x))  # expect: DP601
        out = self.relu(self.conv2(out))
        out = self.conv3(out)
        if self.downsample is not None:
            identity = self.downsample(x)
        return self.relu(out + identity)


class ResNet(nn.Module):
    def __init__(self, block, counts):
        super().__init__()
        self.inplanes = 16
        self.stem = nn.Conv2d(3, 16, 3, 1, 1)
        self.layer1 = self._make_layer(block, 16, counts[0])
        self.layer2 = self._make_layer(block, 32, counts[1], 2)

    def _make_layer(self, block, planes, count, stride=1):
        down = nn.Conv2d(self.inplanes, planes * block.expansion, 1, stride)
        layers = [block(self.inplanes, planes, stride, down)]
        #+ self.inplanes = planes * block.expansion
        for _ in range(1, count):
            layers.append(block(self.inplanes, planes))
        return nn.Sequential(*layers)

    def forward(self, x):
        return self.layer2(self.layer1(self.stem(x)))


net = ResNet(Bottleneck, [2, 2])
net(torch.randn(1, 3, 16, 16))
