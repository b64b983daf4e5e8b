from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


@dataclass
class Specials:
    pad: int = 0
    bos: int = 1


SP = Specials()


def collate(rows):
    return tuple(pad_sequence(column, batch_first=True, padding_value=SP.pad) for column in zip(*rows))


def build_criterion(smoothing=0.1):
    return nn.CrossEntropyLoss(label_smoothing=smoothing)


class Trainer:
    def __init__(self, model: nn.Module, device):
        self.model, self.device = model.to(device), device
        self.criterion = build_criterion()
        self.opt = torch.optim.Adam(model.parameters())

    def losses(self, loader):
        for src, tgt in loader:
            logits = self.model(src, tgt[:, :-1])
            gold = tgt[:, 1:]
            yield self.criterion(logits.flatten(0, 1), gold.flatten())  # expect: DP889

    def train(self, data):
        loader = DataLoader(data, batch_size=96, shuffle=True, collate_fn=collate, num_workers=4, persistent_workers=True)
        for loss in self.losses(loader):
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
