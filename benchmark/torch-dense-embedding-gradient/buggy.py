import torch
from torch import nn

ITEMS = 200000
WIDTH = 32
BATCH = 128
STEPS = 20


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(ITEMS, WIDTH)
        nn.init.uniform_(self.items.weight, -0.1, 0.1)

    def forward(self, left, right):
        return (self.items(left) * self.items(right)).sum(dim=1)


torch.manual_seed(0)
model = Recommender()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
left = torch.randint(ITEMS, (STEPS, BATCH))
right = torch.randint(ITEMS, (STEPS, BATCH))
losses = []
for a, b in zip(left, right):
    loss = nn.functional.softplus(-model(a, b)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
