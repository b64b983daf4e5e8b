import torch
from torch import nn


class Named(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, name="conv"):
        super().__init__()
        if kernel % 2 == 0:
            self.pad = nn.ZeroPad2d((0, 1, 0, 1))
        self.__setattr__(name, nn.Conv2d(inputs, outputs, kernel, padding=0 if kernel % 2 == 0 else kernel // 2))
        self.__setattr__("norm", nn.BatchNorm2d(outputs))


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Named(3, 8, 2)
        self.second = Named(8, 3, 2)
        self.pool = nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.MaxPool2d(2, 1))

    def forward(self, x):
        return torch.cat([self.pool(x), self.second(self.first(x))], 1)


assert Stem()(torch.rand(2, 3, 9, 9)).shape == (2, 6, 9, 9)
