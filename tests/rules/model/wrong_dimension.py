import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(128, 10)

    def forward(self, x):
        return self.fc(x.flatten(1))


@torch.no_grad()
def evaluate(dataset):
    net = Net().eval()
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    one = DataLoader(dataset, batch_size=1, num_workers=4)
    hits = 0
    for x, y in loader:
        out = net(x)
        hits += (out.argmax(0) == y).sum()  # expect: DP267
        probs = F.softmax(net(x), dim=0)  # expect: DP250, DP267
        right = out.softmax(-1), out.argmax(1), torch.softmax(out, 1)
        single = net(x)[0].softmax(0)  # expect: DP250
    for x, y in one:
        hits += net(x).squeeze(0).argmax(0)
    return hits, probs, right, single


head = nn.Sequential(nn.Linear(128, 10), nn.Softmax(dim=0))  # expect: DP267
fine = nn.Sequential(nn.Linear(128, 10), nn.Softmax(dim=1))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / 8
        first = F.softmax(scores, dim=1) @ v  # expect: DP267
        second = torch.softmax(q @ k.transpose(-2, -1), dim=-2) @ v  # expect: DP267
        third = torch.softmax(scores, dim=2) @ v  # hint: DP151
        fourth = torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v  # expect: DP151
        return first + second + third + fourth


# Values that are multiplied with the weights from the left: dimension 1 of those has the keys.
class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Conv1d(64, 8, 1), nn.Conv1d(64, 8, 1), nn.Conv1d(64, 64, 1)

    def forward(self, x):
        f, g, h = self.q(x).transpose(1, 2), self.k(x).transpose(1, 2), self.v(x)
        weights = F.softmax(torch.bmm(f, g.transpose(1, 2)), dim=1)
        return torch.bmm(h, weights)
