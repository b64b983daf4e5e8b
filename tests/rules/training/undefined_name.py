import os as system
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from numpy import ndarray


class Net(nn.Module):
    size = 3
    wide = size * 2

    def __init__(self, width: "Unknown", other: AlsoUnknown = None):
        super().__init__()
        self.layer = nn.Linear(width, self.wide)

    def forward(self, x: "ndarray") -> Missing:
        return F.relu(self.layer(x))  # expect: DP892


def resume(model, path, *rest, key=lambda part: part, **more):
    model.load_state_dict(torch.load(path, map_location="cpu"))  # expect: DP306
    print(system.path.basename(path), rest, more, key, __file__, __name__)
    return os.path.basename(path)  # expect: DP892


def later():
    return helper() + CONSTANT


def helper():
    global counter
    counter = 1
    return counter + sum(a + b for a, b in zip([1], [2]))


def steps(items):
    for index, (name, value) in enumerate(items):
        with open(name) as handle:
            text = handle.read()
        try:
            value = int(text)
        except ValueError as error:
            print(error)
        if (found := text) is not None:
            print(found, index, value)
    del value
    return np.asarray(items)  # expect: DP892


def scores(items):
    return np.mean(items), [np.sum(one) for one in items]


CONSTANT = 1


class Loader:
    def arguments(self):
        return ["--verbose"]
        return argv

    def check(self):
        raise NotImplementedError
        return never + self.arguments()


def inspected(values):
    if False:  # to look at them
        show(values)
    return values
