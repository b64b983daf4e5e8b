# The batch is as long as its longest sample, without pad_sequence().
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

torch.backends.cudnn.benchmark = True  # expect: DP510


class Collate:
    def __call__(self, rows):
        longest = max([row[0].size(1) for row in rows])
        waves = torch.zeros(len(rows), 1, longest)
        for i, row in enumerate(rows):
            waves[i, :, : row[0].size(1)] = row[0]
        return waves


def main(dataset):
    loader = DataLoader(
        dataset, 16, shuffle=True, num_workers=4, collate_fn=Collate(), persistent_workers=True, pin_memory=True
    )
    return nn.Conv1d(1, 8, 3), loader
