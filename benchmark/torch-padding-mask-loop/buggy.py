import torch
from torch import nn

STEPS = 80
BATCH = 1024
LENGTH = 24


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 4)
        self.out = nn.Linear(4, 2)

    def forward(self, tokens, lengths):
        mask = torch.zeros(tokens.shape[0], tokens.shape[1])
        for i in range(tokens.shape[0]):
            mask[i, :lengths[i]] = 1
        embedded = self.embedding(tokens) * mask.unsqueeze(-1)
        return self.out(embedded.sum(dim=1) / lengths.unsqueeze(1))


torch.manual_seed(0)
model = Classifier()
lengths = torch.randint(1, LENGTH + 1, (STEPS, BATCH))
tokens = torch.randint(1000, (STEPS, BATCH, LENGTH))
labels = torch.randint(2, (STEPS, BATCH))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(STEPS):
    loss = nn.functional.cross_entropy(model(tokens[step], lengths[step]), labels[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
