import torch
import torch.nn as nn
import torch.nn.functional as F


class Manager:
    def save(self, epoch, **parts):
        torch.save({"epoch": epoch, **{name: part.state_dict() for name, part in parts.items()}}, "last.pt")

    def load(self, **parts):
        checkpoint = torch.load("last.pt", map_location="cpu", weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(checkpoint[name])
        return checkpoint["epoch"] + 1


def main(model: nn.Module, loader):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    manager = Manager()
    start = manager.load(model=model, optimizer=optimizer)
    for epoch in range(start, 30):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        manager.save(epoch, model=model, optimizer=optimizer)
