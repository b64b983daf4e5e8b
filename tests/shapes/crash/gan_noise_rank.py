# torch 1.13: RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv_transpose2d, but got input of size: [16, 50]
import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z_dim):
        super().__init__()
        self.z_dim = z_dim
        self.net = nn.Sequential(
            nn.ConvTranspose2d(z_dim, 64, 4, 1, 0), nn.BatchNorm2d(64), nn.ReLU(),
            nn.ConvTranspose2d(64, 1, 4, 2, 1), nn.Tanh())

    def forward(self, z):
        return self.net(z)  # expect: DP604


def sample(gen, n):
    z = torch.randn(n, gen.z_dim)  # fixed: z = torch.randn(n, gen.z_dim, 1, 1)
    gen.eval()
    with torch.no_grad():
        return gen(z)


gen = Generator(50)
imgs = sample(gen, 16)
print(imgs.shape)
