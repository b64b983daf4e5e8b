import numpy as np
import torch
from torch import nn


class Fires(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = self.layer(x)
        z = np.exp(y)  # expect: DP140
        order = np.argsort(y.detach().cpu().numpy())  # expect: DP140
        values = y.detach().cpu().numpy()  # hint: DP140
        ids = np.unique(y.detach().cpu().numpy().astype(int))  # expect: DP140
        if self.training:
            values = x.detach().numpy()  # hint: DP140
        return z, order, values, ids


class Silent(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = np.sqrt(3)
        self.layer = nn.Linear(3, 3)
        self.weights = torch.from_numpy(np.ones(3))

    def forward(self, x, sizes):
        y = self.layer(x)
        n = np.prod(y.shape[1:])
        k = int(np.ceil(np.log2(x.size(0))))
        with torch.no_grad():
            shown = y.detach().cpu().numpy()
        if not self.training:
            shown = y.detach().cpu().numpy()
        assert not np.isnan(y.detach().cpu().numpy()).any()
        if np.random.rand() < 0.5:
            y = torch.exp(y)
        return y * n * k, shown, np.array(sizes)

    def draw(self, x):
        return self.layer(x).detach().cpu().numpy()  # hint: DP232


class Matcher(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return np.argmin(x.detach().cpu().numpy())


class Plain:
    def forward(self, x):
        return x.cpu().numpy()


class Masked(nn.Module):
    def forward(self, scores, mask):
        lowest = float(np.finfo(torch.tensor(0, dtype=scores.dtype).numpy().dtype).min)
        return scores.masked_fill(mask, lowest).softmax(-1)


class Grid(nn.Module):
    def forward(self, x: torch.Tensor, sizes: torch.Tensor):
        if isinstance(sizes, list):
            rows = np.array(sizes, dtype=np.int32)
        else:
            rows = np.array(sizes)  # expect: DP140
        return x[: rows.sum()]
