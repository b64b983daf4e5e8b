# torch 1.13: TypeError: Siamese.forward() missing 1 required positional argument: 'b'
import torch
import torch.nn as nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten())
        self.fc = nn.Linear(4 * 26 * 26, 16)

    def once(self, x):
        return self.fc(self.cnn(x))

    def forward(self, a, b):
        return self.once(a), self.once(b)


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, label):
        d = nn.functional.pairwise_distance(a, b)
        return (label * d ** 2 + (1 - label) * torch.clamp(self.margin - d, min=0) ** 2).mean()


net, crit = Siamese(), ContrastiveLoss()
a = torch.randn(4, 1, 28, 28)
b = torch.randn(4, 1, 28, 28)
label = torch.ones(4)
out = net(torch.cat([a, b], 1))  # expect: DP610  # fixed: out = net(a, b)
loss = crit(*out, label)
loss.backward()
