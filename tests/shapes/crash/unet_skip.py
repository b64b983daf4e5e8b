# torch 1.13: RuntimeError: Given groups=1, weight of size [16, 16, 3, 3], expected input[2, 32, 64, 64] to have 16 channels, but got 32 channels instead
import torch
import torch.nn as nn


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, n_class):
        super().__init__()
        self.down1 = double_conv(3, 16)
        self.down2 = double_conv(16, 32)
        self.down3 = double_conv(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(64, 32, 2, stride=2)
        self.conv2 = double_conv(64, 32)
        self.up1 = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.conv1 = double_conv(16, 16)  # fixed: self.conv1 = double_conv(32, 16)
        self.last = nn.Conv2d(16, n_class, 1)

    def forward(self, x):
        c1 = self.down1(x)
        c2 = self.down2(self.pool(c1))
        c3 = self.down3(self.pool(c2))
        x = torch.cat([self.up2(c3), c2], dim=1)
        x = self.conv2(x)
        x = torch.cat([self.up1(x), c1], dim=1)
        x = self.conv1(x)  # expect: DP601
        return self.last(x)


net = UNet(4)
image = torch.randn(2, 3, 64, 64)
mask = torch.randint(0, 4, (2, 64, 64))
loss = nn.CrossEntropyLoss()(net(image), mask)
loss.backward()
