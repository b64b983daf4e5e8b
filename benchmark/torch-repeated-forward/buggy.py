import torch
from torch import nn

BATCH = 1024
BATCHES = 16
WIDTH = 512

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 10))
criterion = nn.CrossEntropyLoss()
batches = [(torch.randn(BATCH, 64), torch.randint(10, (BATCH,))) for _ in range(BATCHES)]


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    losses, correct = [], 0
    for x, y in batches:
        losses.append(criterion(model(x), y).item())
        correct += (model(x).argmax(dim=1) == y).sum().item()
    return losses, correct


result = evaluate(model, batches)
