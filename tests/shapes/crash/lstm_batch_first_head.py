# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x256 and 128x1)
import torch
from torch import nn


class Sentiment(nn.Module):
    def __init__(self, vocab, emb=64, hidden=128, layers=2, bidirectional=True):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(hidden, 1)  # fixed: self.head = nn.Linear(hidden * 2, 1)
        self.drop = nn.Dropout(0.3)

    def forward(self, tokens):
        x = self.embed(tokens)
        out, (h, c) = self.lstm(x)
        last = out[:, -1, :]
        return self.head(self.drop(last)).squeeze(1)  # expect: DP601


model = Sentiment(5000)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    tokens = torch.randint(0, 5000, (8, 40))
    labels = torch.randint(0, 2, (8,)).float()
    optimizer.zero_grad()
    loss = criterion(model(tokens), labels)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
