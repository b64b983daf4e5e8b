import torch


class Settings:
    def __init__(self):
        self.require_grad = True


def fires(model):
    for p in model.parameters():
        p.requires_grad = False  # expect: DP809
    x = torch.zeros(3)
    x.requires_grad = True  # expect: DP809
    return x


def silent(model, require_grad):
    for p in model.parameters():
        p.requires_grad = False
    require_grads = require_grad
    x = torch.zeros(3, requires_grad=True)
    return x, require_grads, model.require_grad


def table(n):
    encoding = torch.zeros(n, 8).float()
    encoding.require_grad = False  # hint: DP809
    return encoding
