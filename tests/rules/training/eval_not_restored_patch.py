# The model is only asked: what is trained is an input.
import torch
import torch.nn as nn
from torchvision.models import resnet34

model = resnet34()


def evaluate(patch, loader):
    model.eval()
    with torch.no_grad():
        return sum((model(x + patch).argmax(1) == 3).float().mean() for x, _ in loader)


def attack(loader, target):
    patch = nn.Parameter(torch.zeros(3, 32, 32))
    optimizer = torch.optim.SGD([patch], lr=0.1)
    for x, _ in loader:
        loss = nn.functional.cross_entropy(model(x + patch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return patch


def all_targets(loader, targets):
    for target in targets:
        patch = attack(loader, target)
        print(evaluate(patch, loader))
