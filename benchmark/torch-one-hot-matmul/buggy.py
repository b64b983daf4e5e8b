import torch
from torch import nn
import torch.nn.functional as F

STEPS = 4
BATCH = 32
LENGTH = 24
VOCABULARY = 6000
WIDTH = 32


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(VOCABULARY, WIDTH) * 0.1)
        self.out = nn.Linear(WIDTH, 3)

    def forward(self, tokens):
        embedded = F.one_hot(tokens, VOCABULARY).float() @ self.table
        return self.out(embedded.mean(dim=1))


torch.manual_seed(0)
model = Words()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tokens = torch.randint(VOCABULARY, (STEPS, BATCH, LENGTH))
labels = torch.randint(3, (STEPS, BATCH))
losses = []
for x, y in zip(tokens, labels):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
