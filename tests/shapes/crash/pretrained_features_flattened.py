# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1024x1 and 512x4)
import torch
from torch import nn
from torchvision.models import resnet18


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        backbone = resnet18()
        self.body = nn.Sequential(*list(backbone.children())[:-1])
        self.fc = nn.Linear(512, 4)

    def forward(self, x):
        f = self.body(x)
        return self.fc(f)  # expect: DP601  # fixed: return self.fc(f.flatten(1))


Extractor()(torch.rand(2, 3, 64, 64))
