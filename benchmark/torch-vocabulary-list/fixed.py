import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

TEXTS = 800
WORDS = 8000
LENGTH = 20

random.seed(0)
vocabulary = [f"word{i}" for i in range(WORDS)]
texts = [" ".join(random.choices(vocabulary, k=LENGTH)) for _ in range(TEXTS)]


class Texts(Dataset):
    def __init__(self, texts, vocabulary):
        self.texts = texts
        self.vocabulary = {word: i for i, word in enumerate(vocabulary)}

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        tokens = self.texts[index].split()
        return torch.tensor([self.vocabulary[token] for token in tokens])


torch.manual_seed(0)
embedding = nn.Embedding(WORDS, 16)
scores = []
with torch.no_grad():
    for batch in DataLoader(Texts(texts, vocabulary), batch_size=40):
        scores.append(embedding(batch).mean(dim=(1, 2)).sum().item())

result = scores
