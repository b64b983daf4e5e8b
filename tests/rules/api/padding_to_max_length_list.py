"""Samples that a Dataset pads by hand."""
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Padded(Dataset):
    def __init__(self, texts, labels, max_length=256):
        self.texts, self.labels, self.max_length = texts, labels, max_length

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        ids = self.texts[index][:self.max_length]
        mask = [1] * len(ids) + [0] * (self.max_length - len(ids))  # expect: DP150
        ids = ids + [0] * (self.max_length - len(ids))
        return torch.tensor(ids), torch.tensor(mask), self.labels[index]


class Counted(Dataset):
    def __init__(self, pairs, longest):
        self.pairs, self.longest = pairs, longest

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        source = self.pairs[index]
        missing = self.longest - len(source) - 2
        return torch.cat([torch.tensor(source), torch.tensor([0] * missing)])  # expect: DP150


class Plain(Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        ids = self.texts[index]
        return torch.tensor(ids), torch.tensor([1] * len(ids))


def collate(rows):
    return pad_sequence([ids for ids, _ in rows], batch_first=True)


def main(texts, labels):
    loaders = DataLoader(Padded(texts, labels)), DataLoader(Counted(texts, 350)), DataLoader(Plain(texts), collate_fn=collate)  # hint: DP130
    for loader in loaders:
        for batch in loader:
            print(batch)
