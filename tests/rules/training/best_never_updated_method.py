"""A method compares."""
import torch


class Wrong:
    def __init__(self, path, mode="max"):
        self.path = path
        self.mode = mode
        self.best = float("-inf")

    def better(self, value):
        return value > self.best  # expect: DP997

    def __call__(self, model, value):
        if self.better(value):
            torch.save(model.state_dict(), self.path)


class Right:
    def __init__(self, path):
        self.path = path
        self.best = float("-inf")

    def better(self, value):
        return value > self.best

    def __call__(self, model, value):
        if self.better(value):
            self.best = value
            torch.save(model.state_dict(), self.path)


class EitherWay:
    def __init__(self, path, mode="max"):
        self.path = path
        self.mode = mode
        self.best = float("-inf") if mode == "max" else float("inf")

    def better(self, value):
        return value > self.best if self.mode == "max" else value < self.best  # expect: DP997

    def __call__(self, model, value):
        if self.better(value):
            torch.save(model.state_dict(), self.path)
