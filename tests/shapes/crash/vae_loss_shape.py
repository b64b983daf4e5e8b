# torch 1.13: ValueError: Using a target size (torch.Size([16, 1, 28, 28])) that is different to the input size (torch.Size([16, 784])) is deprecated. Please ensure they have the same size.
import torch
import torch.nn as nn
import torch.nn.functional as F


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU())
        self.dec = nn.Sequential(nn.Linear(64, 784), nn.Sigmoid())

    def forward(self, x):
        return self.dec(self.enc(x))


model = AE()
opt = torch.optim.Adam(model.parameters())
for _ in range(3):
    img = torch.rand(16, 1, 28, 28)
    out = model(img)
    loss = F.binary_cross_entropy(out, img)  # expect: DP605  # fixed: loss = F.binary_cross_entropy(out, img.view(16, -1))
    opt.zero_grad()
    loss.backward()
    opt.step()
