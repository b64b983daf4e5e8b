import torch
from torch import nn

ROWS = 40000
WIDTH = 64
BATCH = 32
STEPS = 60


class Bank:
    def __init__(self):
        self.rows = nn.functional.normalize(torch.randn(ROWS, WIDTH), dim=1)

    @torch.no_grad()
    def update(self, index, features):
        mixed = 0.5 * self.rows[index] + 0.5 * features
        self.rows = self.rows.index_copy(0, index, nn.functional.normalize(mixed, dim=1))


torch.manual_seed(0)
bank = Bank()
model = nn.Linear(WIDTH, WIDTH)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(STEPS):
    index = torch.randint(ROWS // BATCH, (BATCH,)) + torch.arange(BATCH) * (ROWS // BATCH)
    x = torch.randn(BATCH, WIDTH)
    features = nn.functional.normalize(model(x), dim=1)
    loss = 1 - (features * bank.rows[index]).sum(dim=1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    bank.update(index, features)
    losses.append(loss.item())

result = losses
