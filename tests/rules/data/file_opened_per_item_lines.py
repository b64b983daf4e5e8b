import csv

import torch
from torch.utils.data import Dataset


def read_vocab(path):
    with open(path, encoding="utf8") as file:  # expect: DP406
        return {line.rstrip(): i for i, line in enumerate(file)}


class Texts(Dataset):
    def __init__(self, texts, vocab_path):
        self.texts, self.vocab_path = texts, vocab_path

    def __len__(self):
        return len(self.texts)

    def encode(self, text):
        vocab = read_vocab(self.vocab_path)
        return [vocab.get(word, 0) for word in text.split()]

    def __getitem__(self, i):
        return torch.tensor(self.encode(self.texts[i]))


class Rows(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with open(self.files[i]) as file:
            return [row[0] for row in csv.reader(file)]
