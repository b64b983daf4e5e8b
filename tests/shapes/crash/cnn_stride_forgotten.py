# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x256 and 400x120)
import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, stride=1, padding=0)  # fixed: self.conv1 = nn.Conv2d(1, 6, 5, stride=1, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 10)

    def forward(self, img):
        out = F.avg_pool2d(torch.tanh(self.conv1(img)), 2)
        out = F.avg_pool2d(torch.tanh(self.conv2(out)), 2)
        out = out.view(out.shape[0], -1)
        out = torch.tanh(self.fc1(out))  # expect: DP601
        return self.fc2(out)


LeNet()(torch.randn(1, 1, 28, 28))
