import os

import torch
import torch.nn as nn
import torch.nn.functional as F


def epoch_of(model: nn.Module, loader, optim):
    for x, y in loader:
        optim.zero_grad()
        F.mse_loss(model(x), y).backward()
        optim.step()


def without_state(model: nn.Module, loader):
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = 0
    if os.path.exists("last.pt"):
        checkpoint = torch.load("last.pt", map_location="cpu")  # expect: DP306
        model.load_state_dict(checkpoint["model"])
        start = checkpoint["epoch"] + 1  # expect: DP278
    for epoch in range(start, 30):
        epoch_of(model, loader, adam)
        torch.save({"model": model.state_dict(), "adam": adam.state_dict(), "epoch": epoch}, "last.pt")


def from_zero(model: nn.Module, loader):
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    checkpoint = torch.load("other.pt", map_location="cpu")  # expect: DP306
    model.load_state_dict(checkpoint["model"])
    start_epoch = checkpoint["epoch"] + 1  # expect: DP278
    for epoch in range(30):
        epoch_of(model, loader, adam)


def whole(model: nn.Module):
    torch.save({"epoch": 3, "model": model.state_dict()}, "whole.pt")
    model.load_state_dict(torch.load("whole.pt", map_location="cpu"))  # expect: DP278, DP306


def entry(model: nn.Module):
    torch.save({"epoch": 3, "model": model.state_dict()}, "entry.pt")
    model.load_state_dict(torch.load("entry.pt", map_location="cpu")["model"])  # expect: DP306
    torch.save(model.state_dict(), "weights.pt")
    model.load_state_dict(torch.load("weights.pt", map_location="cpu"))  # expect: DP306
