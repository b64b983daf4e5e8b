import itertools
from itertools import cycle

from torch.utils.data import DataLoader


def endless(dataset):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    return itertools.cycle(loader)  # expect: DP174


def pairs(labelled, unlabelled):
    first = DataLoader(labelled, batch_size=64, shuffle=True, num_workers=4)
    second = DataLoader(unlabelled, batch_size=64, shuffle=True, num_workers=4)
    return zip(cycle(first), second)  # expect: DP174


class Trainer:
    def __init__(self, dataset):
        self.loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
        self.batches = iter(cycle(self.loader))  # expect: DP174


def colors(names):
    return cycle(names)


def generator(dataset):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    while True:
        yield from loader
