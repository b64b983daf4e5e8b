import copy

import torch


def never_lower(model: torch.nn.Module, validate):
    best_loss = 0.0
    for epoch in range(10):
        val_loss = validate(model)
        if val_loss < best_loss:  # expect: DP903
            best_loss = val_loss
            torch.save(model.state_dict(), "best.pt")


class Keeper:
    def __init__(self):
        self.best_acc = float("inf")

    def update(self, acc, net: torch.nn.Module):
        if acc > self.best_acc:  # expect: DP903
            self.best_acc = acc
            torch.save(net.state_dict(), "best.pt")


def keeps_worst(model: torch.nn.Module, validate):
    best = -1.0
    weights = None
    for epoch in range(10):
        loss = validate(model)
        if epoch > 0 and best < loss:  # expect: DP903
            best = loss
            weights = copy.deepcopy(model.state_dict())
    return weights


def right(model: torch.nn.Module, validate, likelihood):
    best_loss, best_acc, lowest = float("inf"), 0.0, 0.0
    best_loglik = 0.0
    for epoch in range(10):
        loss, acc = validate(model)
        if loss < best_loss:
            best_loss = loss
            torch.save(model.state_dict(), "loss.pt")
        if acc > best_acc:
            best_acc = acc
            torch.save(model.state_dict(), "acc.pt")
        value = likelihood(model)
        if value < best_loglik:
            best_loglik = value
            torch.save(model.state_dict(), "value.pt")
        if epoch == 0 or loss < lowest:
            lowest = loss
            torch.save(model.state_dict(), "first.pt")
