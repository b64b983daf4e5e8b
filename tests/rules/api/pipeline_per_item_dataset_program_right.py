import torch
from torch.utils.data import DataLoader, Dataset
from transformers import DistilBertForSequenceClassification, DistilBertTokenizerFast


class Tweets(Dataset):
    def __init__(self, texts, labels, tok):
        self.items = tok(texts, truncation=True, max_length=64, padding="max_length")
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {k: torch.tensor(v[i]) for k, v in self.items.items()}, self.labels[i]


def main(texts, labels):
    tok = DistilBertTokenizerFast.from_pretrained("distilbert-base-uncased")
    loader = DataLoader(Tweets(texts, labels, tok), 32, shuffle=True, num_workers=2, pin_memory=True, persistent_workers=True)
    for b, y in loader:
        print(b["input_ids"].shape, y)
