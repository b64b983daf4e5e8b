# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 44 but got size 45 for tensor number 1 in the list.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.c = nn.Conv2d(i, o, 3, padding=1)

    def forward(self, x):
        return F.relu(self.c(x))


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc1 = Block(1, 8)
        self.enc2 = Block(8, 16)
        self.mid = Block(16, 32)
        self.up2 = nn.ConvTranspose2d(32, 16, kernel_size=2, stride=2)
        self.dec2 = Block(32, 16)
        self.up1 = nn.ConvTranspose2d(16, 8, kernel_size=2, stride=2)
        self.dec1 = Block(16, 8)
        self.out = nn.Conv2d(8, 1, kernel_size=1)

    def forward(self, x):
        e1 = self.enc1(x)
        e2 = self.enc2(F.max_pool2d(e1, 2))
        m = self.mid(F.max_pool2d(e2, 2))
        d2 = self.dec2(torch.cat((self.up2(m), e2), 1))  # expect: DP602
        d1 = self.dec1(torch.cat((self.up1(d2), e1), 1))
        return torch.sigmoid(self.out(d1))


model = Small()
batch = torch.rand(4, 1, 90, 90)  # fixed: batch = torch.rand(4, 1, 96, 96)
pred = model(batch)
print(pred.shape)
