# A table of numbers that is made once for each device
import torch
from torch import nn

_CODES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)
_TABLES = {}


def codes_on(device):
    table = _TABLES.get(device)
    if table is None:
        table = torch.tensor(_CODES, dtype=torch.float32, device=device)
        _TABLES[device] = table
    return table


def codes_again(device):
    return torch.tensor(_CODES, dtype=torch.float32, device=device)  # expect: DP413


class Decoded(nn.Module):
    def forward(self, x: torch.Tensor):
        return codes_on(x.device)[x] + codes_again(x.device)[x]


def rotation_on(device):
    kept = _TABLES.get(("rotation", device))
    if kept is not None:
        return kept
    rotation = torch.tensor(
        [[1, 1, 1, -1], [1, 1, -1, 1], [1, -1, 1, 1], [-1, 1, 1, 1]], dtype=torch.float32, device=device
    )
    _TABLES[("rotation", device)] = rotation
    return rotation


class Rotated(nn.Module):
    def forward(self, x: torch.Tensor):
        return x @ rotation_on(x.device)
