import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(64, 64)
        self.maps = []
        self.features = list()
        self.cleared = []
        self.reset = []
        self.sizes = []
        self.debugged = []
        self.popped = []
        self.debug = False

    def forward(self, x: torch.Tensor):
        weights = self.score(x).softmax(-1)
        self.maps.append(weights)  # expect: DP280
        self.features.append(x.detach().cpu())  # expect: DP280
        self.cleared.append(weights)
        self.reset.append(weights)
        self.sizes.append(x.shape)
        self.popped.append(weights)
        if self.debug:
            self.debugged.append(weights)  # hint: DP280
        if len(self.popped) > 3:
            self.popped.pop(0)
        outputs = []
        outputs.append(weights)
        return outputs[0] @ x

    def forget(self):
        self.cleared.clear()
        self.reset = []


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.seen = []

    def forward(self, x):
        x = self.layer(x)
        self.seen.append(x)  # expect: DP280
        return x


class Recorder:
    def __init__(self):
        self.all = []

    def forward(self, x: torch.Tensor):
        self.all.append(x)
        return x
