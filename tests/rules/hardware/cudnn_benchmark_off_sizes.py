import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.backends.cudnn.benchmark = True  # expect: DP510


def collate(rows):
    waves, labels = zip(*rows)
    return pad_sequence(waves, batch_first=True), torch.tensor(labels)


def main(dataset):
    loader = DataLoader(dataset, 16, shuffle=True, num_workers=4, collate_fn=collate, persistent_workers=True)
    return nn.Conv1d(1, 8, 3), loader
