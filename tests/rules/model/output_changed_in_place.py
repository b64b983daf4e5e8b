import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 8, 3, padding=1)
        self.act = nn.Sigmoid()

    def forward(self, x, mask):
        a = torch.sigmoid(self.conv(x))
        a += x  # expect: DP873
        b = F.softmax(self.conv(x), dim=-1)
        b /= b.sum(dim=-1, keepdim=True)  # expect: DP873
        c = self.conv(x).tanh()
        c[mask] = 0  # expect: DP873
        d = self.act(self.conv(x))
        d.mul_(2)  # expect: DP873
        e = torch.exp(self.conv(x))
        if mask is not None:
            e *= mask  # expect: DP873
        return a + b + c + d + e

    def fine(self, x):
        a = torch.sigmoid(self.conv(x))
        a = a + x
        b = self.conv(x)
        b += x
        c = F.leaky_relu(self.conv(x))
        c += x
        d = F.softmax(self.conv(x), dim=-1)
        d, places = d.topk(3)
        d /= d.sum()
        e = torch.sigmoid(self.conv(x)).clone()
        e += x
        return a, b, c, d, e, places


@torch.no_grad()
def predict(model: Block, x):
    out = torch.softmax(model.conv(x), dim=1)
    out += 1
    return out


def of_data(x: torch.Tensor):
    y = torch.sigmoid(x)
    y += 1
    return y


class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(100))

    def forward(self, x):
        if self.training:
            mask = torch.sigmoid(self.scores)
            mask[:10] = 0  # expect: DP873
        else:
            mask = torch.sigmoid(self.scores)
            mask[:10] = 0
        return x * mask


# Callers choose whether there is noise, and those that train may not.
class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(100))

    def forward(self, x, noise: float = 0.0):
        mask = torch.sigmoid(self.scores)
        if noise > 0:
            mask += torch.randn_like(mask) * noise  # hint: DP873
        return x * mask
