import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Speech(Dataset):
    def __init__(self, count=20, mels=40):
        self.items = [torch.randn(50 + 3 * i, mels) for i in range(count)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index], index % 10


class Graphs(Dataset):
    sizes = [5, 7, 9, 11]

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"nodes": torch.randn(self.sizes[index], 16), "label": 1}


class Padded(Speech):
    def __getitem__(self, index):
        item = torch.zeros(200, 40)
        return item, index % 10


class Grouped(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.randn(5 if index < 4 else 7, 3)


def pad(batch):
    items, labels = zip(*batch)
    return pad_sequence(items, batch_first=True), torch.tensor(labels)


for item, label in DataLoader(Speech(), batch_size=4, shuffle=True):  # expect: DP602
    print(item.shape)
for batch in DataLoader(Graphs(), batch_size=2):  # expect: DP602
    print(batch["nodes"])
sentences = [torch.tensor([1, 2, 3]), torch.tensor([1, 2]), torch.tensor([4])]
for sentence in DataLoader(sentences, 3):  # expect: DP602
    print(sentence)

for item, label in DataLoader(Speech(), batch_size=4, collate_fn=pad):
    print(item.shape)
for item, label in DataLoader(Speech()):
    print(item.shape)
for item, label in DataLoader(Padded(), batch_size=4, shuffle=True):
    print(item.shape)
for item in DataLoader(Grouped(), batch_size=4):
    print(item.shape)
for sentence in DataLoader(sentences, 1):
    print(sentence)
for item, label in DataLoader(Speech(), batch_size=random.choice([1, 1])):
    print(item.shape)
for item, label in DataLoader(Speech(), batch_size=None):
    print(item.shape)
