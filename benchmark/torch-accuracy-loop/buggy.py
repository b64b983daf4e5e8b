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
    correct = 0
    for p, label in zip(predicted, labels):
        if p == label:
            correct += 1
    return correct / len(labels)


result = accuracy(model, inputs, labels)
