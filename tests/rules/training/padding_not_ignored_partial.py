"""What pads the labels is bound by functools.partial."""
from functools import partial

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(rows, label_pad):
    xs, ys = zip(*rows)
    return pad_sequence(xs, True, 0), pad_sequence(ys, True, label_pad)  # expect: DP889


def collate_right(rows, label_pad):
    xs, ys = zip(*rows)
    return pad_sequence(xs, True, 0), pad_sequence(ys, True, label_pad)


def collate_any(rows, label_pad):
    xs, ys = zip(*rows)
    return pad_sequence(xs, True, 0), pad_sequence(ys, True, label_pad)


def train(model: nn.Module, rows, label_pad):
    criterion = nn.CrossEntropyLoss()
    wrong = DataLoader(rows, 32, shuffle=True, num_workers=2, collate_fn=partial(collate, label_pad=-1))
    right = DataLoader(rows, 32, shuffle=True, num_workers=2, collate_fn=partial(collate_right, label_pad=-100))
    given = DataLoader(rows, 32, shuffle=True, num_workers=2, collate_fn=partial(collate_any, label_pad=label_pad))
    for loader in (wrong, right, given):
        for x, y in loader:
            criterion(model(x).transpose(1, 2), y).backward()
