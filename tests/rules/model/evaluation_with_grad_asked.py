import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(4, 4)

    def of(self, parts, with_backward=False):
        total = torch.zeros(())
        for part in parts:
            loss = self.scale(part).mean()
            if with_backward:
                loss.backward()
                loss = loss.detach()
            total = total + loss
        return total

    def forward(self, parts):
        if torch.is_grad_enabled():
            return self.of(parts, with_backward=True)
        else:
            return self.of(parts)

    def negated(self, parts):
        if not torch.is_grad_enabled():
            return self.of(parts)
        return self.of(parts, with_backward=True)

    def unasked(self, parts, wanted):
        if wanted:
            return self.of(parts, with_backward=True)
        else:
            return self.of(parts)  # expect: DP232


def found_in(model: nn.Module, name, return_model=False):
    while hasattr(model, "module"):
        model = model.module
    return model if return_model else getattr(model, name)


def names(models: list[nn.Module]):
    for model in models:
        for name, weight in found_in(model, "named_parameters")():
            if weight.requires_grad:
                print(name)
