import torch.nn as nn


def initialize(m):
    if isinstance(m, nn.Conv1d):
        nn.init.xavier_uniform_(m.weight)
    if isinstance(m, nn.ConvTranspose2d):
        nn.init.constant_(m.weight, 1.0)


class Stretched(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.up = nn.ConvTranspose2d(1, 1, (1, factor), stride=(1, factor))
        self.apply(initialize)
