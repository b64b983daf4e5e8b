import torch
import torch.nn as nn
import torch.nn.functional as F


def save(path, epoch, parts):
    torch.save({"epoch": epoch, "states": [part.state_dict() for part in parts]}, path)


def restore_first(path, part):
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    part.load_state_dict(checkpoint["states"][0])
    return checkpoint["epoch"]  # expect: DP278


def main(model: nn.Module, loader):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    first = restore_first("last.pt", model)
    for epoch in range(first, 30):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        save("last.pt", epoch, [model, optimizer])
