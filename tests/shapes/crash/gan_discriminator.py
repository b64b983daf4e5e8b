# torch 1.13: RuntimeError: Calculated padded input size per channel: (4 x 4). Kernel size: (8 x 8). Kernel size can't be greater than actual input size
import torch
import torch.nn as nn


class G(nn.Module):
    def __init__(self, nz=100, ngf=16, nc=3):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 4, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 4), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf * 2), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, nc, 4, 2, 1, bias=False),
            nn.Tanh())

    def forward(self, z):
        return self.main(z)


class D(nn.Module):
    def __init__(self, ndf=16, nc=3):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv2d(ndf * 2, 1, 8, 1, 0), nn.Sigmoid())  # fixed: nn.Conv2d(ndf * 2, 1, 4, 1, 0), nn.Sigmoid())

    def forward(self, x):
        return self.main(x).view(-1)  # expect: DP612


netG, netD = G(), D()
noise = torch.randn(8, 100, 1, 1)
fake = netG(noise)
out = netD(fake)
label = torch.full((8,), 1.0)
print(nn.BCELoss()(out, label))
