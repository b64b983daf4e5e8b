import torch
from torch import nn

VOCABULARY = 60000
WIDTH = 1024
STEPS = 3


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(500, WIDTH)
        self.encoder = nn.Linear(WIDTH, WIDTH)
        self.tags = nn.Linear(WIDTH, 20)

    def forward(self, tokens):
        hidden = torch.relu(self.encoder(self.embedding(tokens)))
        return self.tags(hidden)


torch.manual_seed(0)
model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tokens = torch.arange(320).reshape(8, 40)
tags = tokens % 20
losses = []
for step in range(STEPS):
    scores = model(tokens)
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
