"""A sum of terms."""
import torch
from torch import nn


class Losses:
    def __init__(self, weights):
        self.weights = weights
        self.classes = nn.CrossEntropyLoss()
        self.boxes = nn.L1Loss()

    def parts(self, out, batch):
        return {"class": self.classes(out["class"], batch["class"]), "box": self.boxes(out["box"], batch["box"])}

    def detached(self, out, batch):
        return sum(self.weights[name] * part.detach() for name, part in self.parts(out, batch).items())

    def together(self, out, batch):
        return sum(self.weights[name] * part for name, part in self.parts(out, batch).items())


def train(model: nn.Module, loader, weights):
    losses = Losses(weights)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in loader:
        out = model(batch["x"])
        optimizer.zero_grad()
        losses.together(out, batch).backward()
        loss = losses.detached(out, batch)
        loss.backward()  # expect: DP269
        optimizer.step()
