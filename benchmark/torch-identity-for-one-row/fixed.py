import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORDS = 800
VOCABULARY = 1000
BATCH = 100


class NextWord(Dataset):
    def __init__(self, words):
        self.words = words

    def __len__(self):
        return len(self.words) - 1

    def __getitem__(self, index):
        row = np.zeros(VOCABULARY, dtype=np.float32)
        row[self.words[index]] = 1.0
        return torch.from_numpy(row), self.words[index + 1]


torch.manual_seed(0)
words = [(7 * i * i + i) % VOCABULARY for i in range(WORDS)]
model = nn.Linear(VOCABULARY, VOCABULARY)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = []
for x, y in DataLoader(NextWord(words), batch_size=BATCH):
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
