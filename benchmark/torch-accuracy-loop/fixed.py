import torch
from torch import nn

SAMPLES = 150000
CLASSES = 5

torch.manual_seed(0)
model = nn.Linear(10, CLASSES)
inputs = torch.randn(SAMPLES, 10)
labels = torch.randint(CLASSES, (SAMPLES,))


def accuracy(model, inputs, labels):
    with torch.no_grad():
        predicted = model(inputs).argmax(dim=1)
    return (predicted == labels).sum().item() / len(labels)


result = accuracy(model, inputs, labels)
