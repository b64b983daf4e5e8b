import torch
import torch.nn as nn


class Pool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, x):
        rows = []
        for i in range(x.size(0)):  # expect: DP170
            weight = self.score(x[i]).softmax(0)
            rows.append((weight * x[i]).sum(0))
        return torch.stack(rows)


class Counted(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.conv = nn.Conv1d(d, d, 3)

    def forward(self, x):
        n = x.shape[0]
        out = []
        for b in range(n):  # expect: DP170
            out.append(self.conv(x[b]).mean(-1))
        return torch.stack(out, dim=0)


class Listed(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layer = nn.Linear(d, d)

    def forward(self, samples):
        out = []
        for sample in samples:  # hint: DP170
            out.append(self.layer(sample))
        return out


# ---- Silent


class Recurrent(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.cell = nn.Linear(d, d)

    def forward(self, x):
        h = torch.zeros_like(x[0])
        out = []
        for t in range(x.size(0)):
            h = torch.tanh(self.cell(x[t] + h))
            out.append(h)
        return torch.stack(out)


class Lengths(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layer = nn.Linear(d, d)

    def forward(self, x, lengths):
        out = []
        for i in range(x.size(0)):
            out.append(self.layer(x[i, : lengths[i]]).mean(0))
        return torch.stack(out)


class Levels(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layer = nn.Linear(d, d)

    def forward(self, levels: list[torch.Tensor]):
        out = []
        for level in levels:
            out.append(self.layer(level))
        return out


class Heads(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(d, 1) for _ in range(4))

    def forward(self, x):
        out = []
        for head in self.heads:
            out.append(head(x))
        return torch.stack(out)
