# torch 1.13: RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv_transpose2d, but got input of size: [8, 100]
import torch
import torch.nn as nn

nz, ngf, nc = 100, 16, 3
netG = nn.Sequential(
    nn.ConvTranspose2d(nz, ngf * 4, 4, 1, 0, bias=False),  # or here
    nn.BatchNorm2d(ngf * 4),
    nn.ReLU(True),
    nn.ConvTranspose2d(ngf * 4, nc, 4, 2, 1, bias=False),
    nn.Tanh(),
)
noise = torch.randn(8, nz)  # fixed: noise = torch.randn(8, nz, 1, 1)
fake = netG(noise)  # expect: DP604
