# torch 1.13: RuntimeError: Given transposed=1, weight of size [64, 16, 4, 4], expected input[3, 32, 8, 8] to have 64 channels, but got 32 channels instead
import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.fc = nn.Linear(latent, 64 * 4 * 4)
        self.up1 = nn.ConvTranspose2d(64, 32, 4, 2, 1)
        self.up2 = nn.ConvTranspose2d(64, 16, 4, 2, 1)  # fixed: self.up2 = nn.ConvTranspose2d(32, 16, 4, 2, 1)
        self.out = nn.Conv2d(16, 1, 3, padding=1)

    def forward(self, z):
        h = self.fc(z).view(-1, 64, 4, 4)
        h = torch.relu(self.up1(h))
        h = torch.relu(self.up2(h))  # expect: DP601
        return torch.sigmoid(self.out(h))


Decoder(20)(torch.randn(3, 20))
