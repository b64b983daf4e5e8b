# Nothing is trained here: the weights come from a file.
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length: int, width: int):
        super().__init__()
        self.table = nn.Parameter(torch.empty(length, width))
        self.scale = nn.Parameter(torch.Tensor([1.0, 2.0]))  # hint: DP145

    def forward(self, x):
        return x + self.table[: x.shape[1]]


class Reader(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.positions = Positions(sizes["length"], sizes["width"])
        self.out = nn.Linear(sizes["width"], sizes["words"])

    def forward(self, x):
        return self.out(self.positions(x))


def load(path):
    saved = torch.load(path, map_location="cpu", weights_only=True)
    model = Reader(saved["sizes"])
    model.load_state_dict(saved["weights"])
    return model.eval()
