# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (448x28 and 784x512)
import torch
import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self, img_shape=(1, 28, 28)):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(784, 512),  # or here
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(512, 1),
            nn.Sigmoid(),
        )

    def forward(self, img):
        return self.model(img)  # expect: DP601  # fixed: return self.model(img.view(img.size(0), -1))


class Generator(nn.Module):
    def __init__(self, latent=100):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(latent, 784), nn.Tanh())

    def forward(self, z):
        return self.model(z).view(z.size(0), 1, 28, 28)


G, D = Generator(), Discriminator()
z = torch.randn(16, 100)
validity = D(G(z))
