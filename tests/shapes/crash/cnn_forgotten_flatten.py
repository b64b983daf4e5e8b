# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (3584x7 and 3136x10)
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.relu = nn.ReLU()
        self.fc = nn.Linear(64 * 7 * 7, num_classes)

    def forward(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        #+ x = x.flatten(1)
        return self.fc(x)  # expect: DP601


model = Classifier()
out = model(torch.rand(8, 1, 28, 28))
