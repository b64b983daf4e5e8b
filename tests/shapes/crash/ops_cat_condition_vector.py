# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 16 but got size 8 for tensor number 1 in the list.
import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z_dim=64, n_classes=10):
        super().__init__()
        self.label_emb = nn.Embedding(n_classes, n_classes)
        self.main = nn.Sequential(nn.Linear(z_dim + n_classes, 128), nn.ReLU(), nn.Linear(128, 784), nn.Tanh())

    def forward(self, noise, labels):
        c = self.label_emb(labels)
        x = torch.cat([noise, c], -1)  # expect: DP602
        return self.main(x).view(-1, 1, 28, 28)


G = Generator()
noise = torch.randn(16, 64)
labels = torch.randint(0, 10, (8,))  # fixed: labels = torch.randint(0, 10, (16,))
fake = G(noise, labels)
