"""An argument that is scaled is a tensor still: three channels taken from a picture of any size."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 8, 3, padding=1)
        self.two = nn.MaxPool2d(2, 2)

    def forward(self, x):
        x = x * 255.0
        x = x - torch.tensor(data=[104.0, 116.0, 122.0], dtype=x.dtype, device=x.device).view(1, 3, 1, 1)
        return self.two(self.one(x))


def shown(net, picture):
    return net(picture / 2)[0]


if __name__ == "__main__":
    print(shown(Net(), torch.zeros(2, 3, 16, 16)).shape)
