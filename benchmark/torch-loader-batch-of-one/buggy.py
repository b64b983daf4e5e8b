import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SAMPLES = 6000

torch.manual_seed(0)
test_set = TensorDataset(torch.randn(SAMPLES, 20), torch.randint(3, (SAMPLES,)))
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
test_loader = DataLoader(test_set)


def evaluate(model, loader):
    model.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            logits = model(x)
            total += nn.functional.cross_entropy(logits, y, reduction="sum").item()
            correct += (logits.argmax(dim=1) == y).sum().item()
    return total / len(loader.dataset), correct / len(loader.dataset)


loss, accuracy = evaluate(model, test_loader)
result = [loss, accuracy]
