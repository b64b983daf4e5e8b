# Modules are made once, and a few steps with random tensors only try a model.
import torch
import torch.nn as nn


class Positions(nn.Module):
    def __init__(self, width, device):
        super().__init__()
        self.device = device
        self.width = width
        self.reset_parameters()

    def reset_parameters(self):
        self.steps = torch.arange(self.width).float().to(self.device)  # hint: DP401

    def forward(self, x):
        return x + torch.arange(self.width).to(x.device)  # expect: DP401


class Stack(nn.Module):
    def __init__(self, width, depth, device):
        super().__init__()
        self.blocks = nn.ModuleList([Positions(width, device) for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


if __name__ == "__main__":
    model = Stack(8, 100, "cuda").cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 10
    for step in range(steps):
        x = torch.randn(2, 8).cuda()  # hint: DP401
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for step in range(10000):
        x = torch.randn(2, 8).cuda()  # expect: DP401
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
