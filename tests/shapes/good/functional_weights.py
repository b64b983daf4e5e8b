import torch
import torch.nn.functional as F


class Adaptive(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(6, 4, 3, 3))
        self.bias = torch.nn.Parameter(torch.zeros(6))
        self.style = torch.nn.Linear(5, 4)

    def forward(self, x, s):
        b, c, h, w = x.shape
        style = self.style(s).view(b, 1, c, 1, 1)
        weight = self.weight[None] * (style + 1)
        weight = weight.view(b * 6, c, 3, 3)
        x = F.conv2d(x.reshape(1, b * c, h, w), weight, padding=1, groups=b)
        return x.view(b, 6, h, w) + self.bias.view(1, -1, 1, 1)


Adaptive()(torch.rand(2, 4, 8, 8), torch.rand(2, 5))
