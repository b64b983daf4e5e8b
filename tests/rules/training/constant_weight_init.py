import torch
import torch.nn as nn


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.1)  # expect: DP810
        nn.init.constant_(m.bias, 0.1)
    elif isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        m.weight.data.zero_()  # expect: DP810
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.constant_(m.weight, 1)
        m.weight.data.fill_(1)
        m.bias.data.zero_()
    elif isinstance(m, (nn.Linear, nn.LayerNorm)):
        nn.init.ones_(m.weight)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 20)
        self.out = nn.Linear(20, 10)
        self.norm = nn.LayerNorm(10)
        self.one = nn.Linear(10, 1)
        self.gate = nn.Linear(10, 10)
        nn.init.ones_(self.fc.weight)  # expect: DP810
        self.fc.weight.data.fill_(0.5)  # expect: DP810
        nn.init.zeros_(self.out.weight)
        nn.init.ones_(self.norm.weight)
        nn.init.zeros_(self.out.bias)
        nn.init.ones_(self.one.weight)
        nn.init.ones_(self.gate.weight)
        nn.init.normal_(self.fc.weight)
        if isinstance(self.out, nn.Linear):
            nn.init.zeros_(self.out.weight)


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3)
        self.conv.weight.data.fill_(1 / 3)
        self.wide = nn.Conv1d(8, 8, 3)
        self.wide.weight.data.fill_(0.3)
        self.wide.weight.requires_grad = False


def zero_last(m):
    if isinstance(m, nn.Linear) and m.out_features == 3:
        nn.init.zeros_(m.weight)


def others(tensor, layer):
    tensor.fill_(1)
    nn.init.constant_(layer.weight, 1)
    nn.init.zeros_(tensor)
    return torch.zeros(3).fill_(2)


# The layers that scale and shift start as nothing, in blocks of one kind.
class Modulated(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        for block in self.blocks:
            if isinstance(block, Modulation):
                for layer in block.modules():
                    if isinstance(layer, nn.Linear):
                        nn.init.constant_(layer.weight, 0)


class Modulation(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mapper = nn.Linear(width, 2 * width)
