# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (7x128 and 64x1)
import torch
import torch.nn as nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(100, 64), nn.ReLU())
        self.classifier = nn.Linear(64, 1)  # fixed: self.classifier = nn.Linear(128, 1)

    def forward_once(self, x):
        return self.encoder(x)

    def forward(self, a, b):
        ea = self.forward_once(a)
        eb = self.forward_once(b)
        return self.classifier(torch.cat((ea, eb), dim=1))  # expect: DP601


s = Siamese()
s(torch.rand(7, 10, 10), torch.rand(7, 10, 10))
