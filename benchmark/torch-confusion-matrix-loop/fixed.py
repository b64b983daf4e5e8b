import torch
from torch import nn

SAMPLES = 60000
CLASSES = 8

torch.manual_seed(0)
model = nn.Linear(12, CLASSES)
inputs = torch.randn(SAMPLES, 12)
targets = torch.randint(CLASSES, (SAMPLES,))


def confusion(model, inputs, targets):
    with torch.no_grad():
        predictions = model(inputs).argmax(dim=1)
    counts = torch.bincount(targets * CLASSES + predictions, minlength=CLASSES * CLASSES)
    return counts.reshape(CLASSES, CLASSES)


matrix = confusion(model, inputs, targets)
result = matrix.tolist()
