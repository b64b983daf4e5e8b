# torch 1.13: ValueError: Using a target size (torch.Size([32])) that is different to the input size (torch.Size([32, 1])) is deprecated. Please ensure they have the same size.
import torch
import torch.nn as nn


class BinaryClassifier(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x))


clf = BinaryClassifier(8)
criterion = nn.BCELoss()
x, y = torch.randn(32, 8), torch.randint(0, 2, (32,)).float()
loss = criterion(clf(x), y)  # expect: DP605  # fixed: loss = criterion(clf(x).squeeze(1), y)
