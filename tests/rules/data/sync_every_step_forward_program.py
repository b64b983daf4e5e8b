import torch
from torch import nn


class SafeLinear(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.fc = nn.Linear(a, b)

    def forward(self, x):
        assert not torch.isnan(x).any(), "NaN in input"  # expect: DP402
        y = self.fc(x)
        if torch.isinf(y).any():
            raise FloatingPointError("overflow")
        return y


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(SafeLinear(128, 256), nn.ReLU(), SafeLinear(256, 10))

    def forward(self, x):
        return self.layers(x)


def train(loader):
    net = MLP().to("cuda")
    opt = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(10):
        for x, y in loader:
            x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
