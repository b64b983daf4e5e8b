import torch
from torch import nn
from torch.utils.data import Dataset

model = nn.Linear(3, 3)
_compiled = None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.once = torch.compile(self.body)
        self.fast = None

    def forward(self, x):
        a = torch.compile(self.body)(x)  # expect: DP234
        b = torch.jit.script(self.body)  # expect: DP234
        if self.fast is None:
            self.fast = torch.compile(self.body)
        return a + b(x) + self.fast(x)


class Data(Dataset):
    def __getitem__(self, i):
        return torch.jit.trace(model, torch.zeros(3))  # expect: DP234


def loop(batches):
    for batch in batches:
        fast = torch.compile(model)  # expect: DP234
        fast(batch)


def many_models(models, cache):
    for net in models:
        torch.compile(net)
    for width in range(1000):
        net = nn.Linear(width, 3)
        torch.jit.script(net).save("x")
        cache[width] = torch.compile(model)


def made_once(batches):
    fast = torch.compile(model)
    for batch in batches:
        fast(batch)
    for _ in range(3):
        torch.compile(model)


def lazily(x):
    global _compiled
    if _compiled is None:
        _compiled = torch.compile(model)
    return _compiled(x)


@torch.compile
def decorated(x):
    return x + 1


class Stepper:
    def __init__(self, groups, compile_it):
        self.groups = groups
        self.prepare(compile_it)

    def prepare(self, compile_it):
        self.step_one: object = torch.compile(self._step_one) if compile_it else self._step_one

    def _step_one(self, group):
        return group


def steppers(all_groups):
    return [Stepper(groups, True) for groups in all_groups]
