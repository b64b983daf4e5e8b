import copy

import torch
from torch import nn

BATCH = 32
STEPS = 120
ITEMS = 40000


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(ITEMS, 64, sparse=True)
        self.out = nn.Linear(64, 1)

    def forward(self, clicked):
        return self.out(self.items(clicked).mean(dim=1))


torch.manual_seed(0)
model = Ranker()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
clicks = torch.randint(ITEMS, (STEPS, BATCH, 8))
targets = torch.randn(STEPS, BATCH, 1)
best_loss = float("inf")
best_model = None
for step in range(STEPS):
    previous = copy.deepcopy(model)
    loss = nn.functional.mse_loss(model(clicks[step]), targets[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < best_loss:
        best_loss = loss.item()
        best_model = previous

result = [best_loss, best_model(clicks[0]).sum().item()]
