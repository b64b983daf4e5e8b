# torch 1.13: ValueError: Using a target size (torch.Size([4])) that is different to the input size (torch.Size([100])) is deprecated. Please ensure they have the same size.
import torch
import torch.nn as nn

ndf = 8
netD = nn.Sequential(
    nn.Conv2d(3, ndf, 4, 2, 1),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(ndf, ndf * 2, 4, 2, 1),
    nn.BatchNorm2d(ndf * 2),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(ndf * 2, 1, 4, 1, 0),
    nn.Sigmoid(),
)
criterion = nn.BCELoss()
real = torch.randn(4, 3, 32, 32)  # fixed: real = torch.randn(4, 3, 16, 16)
label = torch.full((4,), 1.0)
output = netD(real).view(-1)
errD = criterion(output, label)  # expect: DP605
