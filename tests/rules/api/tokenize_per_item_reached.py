import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer


def encode(text, tokenizer):
    return tokenizer(text, truncation=True)["input_ids"]  # hint: DP149


class Texts(Dataset):
    def __init__(self, texts, name):
        self.texts = list(texts)
        self.tokenizer = AutoTokenizer.from_pretrained(name)

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return encode(self.texts[index], self.tokenizer)


class Collator:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)

    def __call__(self, batch):
        return self.tokenizer(batch, padding=True, return_tensors="pt")  # hint: DP149


class Unused:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)

    def __call__(self, batch):
        return self.tokenizer(batch, padding=True, return_tensors="pt")


def loaders(texts, name):
    collator = Collator(name)
    data = Texts(texts, name)
    return DataLoader(data, num_workers=4, pin_memory=True, collate_fn=collator)
