import re

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = 10
TEXTS = 1200
LENGTH = 40
BUCKETS = 5000

corpus = [" ".join(f"Term{(i * j) % 977}," for j in range(LENGTH)) for i in range(TEXTS)]


def tokenize(text):
    words = re.findall(r"[a-z]+|[0-9]+|[^\w\s]", text.lower())
    ids = []
    for word in words:
        value = 0
        for character in word:
            value = (value * 31 + ord(character)) % BUCKETS
        ids.append(value)
    return ids


class Corpus(Dataset):
    def __init__(self, texts):
        self.tokens = [torch.tensor(tokenize(text)[:LENGTH]) for text in texts]

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return self.tokens[index]


torch.manual_seed(0)
embedding = nn.Embedding(BUCKETS, 8)
optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)
loader = DataLoader(Corpus(corpus), batch_size=60)
losses = []
for epoch in range(EPOCHS):
    for tokens in loader:
        loss = embedding(tokens).mean(dim=1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(loss.item())

result = losses
