import os
import random
import re

from torch.utils.data import Dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


class Reviews(Dataset):
    def __init__(self, texts, labels):
        self.texts = texts
        self.labels = labels
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        ids = self.tokenizer(text, truncation=True)  # expect: DP149
        return ids, self.labels[index]


class Pairs(Dataset):
    def __init__(self, pairs):
        self.pairs = pairs

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        first, second = self.pairs[index]
        return tokenizer.encode_plus(first, second)  # expect: DP149


class Handed(Dataset):
    def __init__(self, texts, tokenizer):
        self.texts = texts
        self.tok = tokenizer

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return self.tok.encode(self.texts[index])  # expect: DP149


handed = Handed(["a"], tokenizer)


class Once(Dataset):
    def __init__(self, texts):
        self.ids = tokenizer(texts, truncation=True)["input_ids"]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.ids[index]


class Augmented(Dataset):
    def __init__(self, variants):
        self.variants = variants

    def __len__(self):
        return len(self.variants)

    def __getitem__(self, index):
        return tokenizer(random.choice(self.variants[index]))


def collate(batch):
    return tokenizer([text for text, _ in batch], padding=True, return_tensors="pt")


WORD = re.compile(r"[a-z]+")


class Words:
    def __init__(self, texts):
        self.index = {word: i for i, word in enumerate(sorted({w for t in texts for w in WORD.findall(t)}))}

    def encode(self, text):
        return [self.index[word] for word in WORD.findall(text.lower())]


class Spelled(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.words = Words(texts)

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return self.words.encode(self.texts[index])  # expect: DP149


class Named(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.number(self.names[index])

    def number(self, name):
        return int(os.path.split(name)[-1].split("_")[0])


class Remembered(Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        if isinstance(self.texts[index], str):
            self.texts[index] = tokenizer(self.texts[index], truncation=True)
        return self.texts[index]
