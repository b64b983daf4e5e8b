# A weight that is filled while it requires no gradient
import torch
import torch.nn as nn


class Projection(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width, width))


def pruned(layer: nn.Linear, index: torch.Tensor, width: int):
    kept = layer.weight.index_select(0, index).clone().detach()
    projection = Projection(width)
    projection.weight.requires_grad = False
    projection.weight.copy_(kept)
    projection.weight.requires_grad = True
    return projection


pruned(nn.Linear(4, 4), torch.arange(4), 4)
