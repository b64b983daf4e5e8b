import json

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

DEFAULTS = {"benchmark": True, "deterministic": False, "other": True}


def load(path=None):
    settings = dict(DEFAULTS)
    if path:
        settings.update(json.load(open(path)))
    return settings


def configure(settings):
    torch.backends.cudnn.benchmark = settings["benchmark"]  # expect: DP510
    torch.backends.cudnn.deterministic = settings["deterministic"]


class Pad:
    def join(self, waves):
        return pad_sequence(waves, batch_first=True)

    def __call__(self, rows):
        waves, labels = zip(*rows)
        return self.join(waves), torch.tensor(labels)


def main(dataset, path, unknown):
    configure(load(path))
    torch.backends.cudnn.benchmark = unknown
    torch.backends.cudnn.benchmark = not unknown
    loader = DataLoader(dataset, 16, num_workers=4, collate_fn=Pad(), persistent_workers=True)
    return nn.Conv1d(1, 8, 3), loader
