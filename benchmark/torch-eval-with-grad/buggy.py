import torch
from torch import nn

BATCH = 49152
BATCHES = 12
WIDTH = 32
DEPTH = 30

torch.manual_seed(0)
layers = [nn.Linear(16, WIDTH), nn.ReLU()]
for _ in range(DEPTH):
    layers += [nn.Linear(WIDTH, WIDTH), nn.ReLU()]
model = nn.Sequential(*layers, nn.Linear(WIDTH, 10))
criterion = nn.CrossEntropyLoss()
batches = [(torch.randn(BATCH, 16), torch.randint(10, (BATCH,))) for _ in range(BATCHES)]


def validate(model, batches):
    model.eval()
    total, correct = 0.0, 0
    for x, y in batches:
        logits = model(x)
        total += criterion(logits, y).item()
        correct += (logits.argmax(dim=1) == y).sum().item()
    return total / len(batches), correct / (len(batches) * BATCH)


loss, accuracy = validate(model, batches)
print(f"validation loss {loss:.4f}, accuracy {accuracy:.3f}")
result = [loss, accuracy]
