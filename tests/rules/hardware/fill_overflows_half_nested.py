import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qk = nn.Linear(d, 2 * d)

    def forward(self, x, mask):
        q, k = self.qk(x).chunk(2, -1)
        return (q @ k.transpose(-1, -2)).masked_fill(mask, -1e9)  # expect: DP521


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attention = Attention(d)

    def forward(self, x):
        return self.attention(x, x.sum(-1) > 0)


class Net(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.layers = nn.Sequential(*[Layer(d) for _ in range(depth)])

    def forward(self, x):
        return self.layers(x)


def predict(loader):
    net = Net(64, 4).cuda().eval()
    with torch.inference_mode():
        for x in loader:
            with torch.autocast("cuda", dtype=torch.float16):
                yield net(x)
