"""A training program as its parts. A structure puts them together; a mistake replaces some of them.

Lines are templates: {model}, {criterion}, {optimizer}, {device}, {loader} and the names of `extra` stand for however the structure
reaches these objects: `model`, `self.model`, `parts["model"]`. The batch is always `x, y`, the number of the step `i`."""
import dataclasses
import re

IMPORTS = """import copy
import os
import random
from collections import namedtuple
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset
"""

DATA = """
class Images(Dataset):
    def __init__(self, root, names):
        self.root = root
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        path = os.path.join(self.root, self.names[index])
        image = Image.open(path).convert("RGB").resize((64, 64))
        array = np.asarray(image, dtype=np.float32) / 255.0
        return torch.from_numpy(array).permute(2, 0, 1), index % 10
"""

NET = """
class Net(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        h = F.relu(self.norm(self.conv(x))).mean(dim=(2, 3))
        return self.head(self.drop(h))
"""


def loader(folder, **options):
    """A DataLoader of a folder, as Python code; an option that is None is left out."""
    training = folder == "train"
    settings = {"batch_size": 64, "shuffle": True if training else None, "num_workers": 8, "pin_memory": True,
                "drop_last": True if training else None, "persistent_workers": True, **options}
    rest = ", ".join(f"{name}={value}" for name, value in settings.items() if value is not None)
    return f'DataLoader(Images("{folder}", sorted(os.listdir("{folder}"))), {rest})'


@dataclasses.dataclass(frozen=True)
class Program:
    imports: str = ""
    data: str = DATA
    net: str = NET
    helpers: str = ""
    train_loader: str = loader("train")
    val_loader: str = loader("val")
    model: str = "Net()"
    criterion: str = "nn.CrossEntropyLoss()"
    optimizer: str = "torch.optim.AdamW({model}.parameters(), lr=1e-3)"
    extra: tuple = ()  # pairs of a name and how the object is made: schedulers, scalers, copies of the model
    move: tuple = ("x = x.to({device}, non_blocking=True)", "y = y.to({device}, non_blocking=True)")
    before: tuple = ("{model}.train()",)
    step: tuple = ("{optimizer}.zero_grad(set_to_none=True)", "out = {model}(x)", "loss = {criterion}(out, y)",
                   "loss.backward()", "{optimizer}.step()")
    after: tuple = ()
    eval_before: tuple = ("{model}.eval()", "correct = torch.zeros((), device={device})")
    eval_no_grad: bool = True
    eval_step: tuple = ("pred = {model}(x).argmax(dim=1)", "correct += (pred == y).sum()")
    eval_after: tuple = ("return correct.item()",)
    epoch: tuple = ()  # lines at the end of each epoch, which see what the main program sees

    def components(self):
        """What the main program makes after the model: pairs of a name and its template."""
        return (("criterion", self.criterion), ("optimizer", self.optimizer), *self.extra)

    def returns_from_step(self):
        return any(line.lstrip().startswith("return") for line in self.step)

    def carries_state(self):
        """Does the step read or bind what was set before the loop, or leave it? Then it cannot be a function of its own as it is."""
        if self.returns_from_step() or any("{loader}" in line for line in self.step):
            return True
        before, inside = ([match[1] for line in lines if (match := re.match(r"(\w+) = ", line))]
                          for lines in (self.before, self.step))
        return any(re.search(rf"\b{name}\b", line) for names, lines in ((before, self.step), (inside, self.after))
                   for name in names for line in lines)


def replaced(lines, old, *new):
    """The lines with one of them replaced by others."""
    assert old in lines, (old, lines)
    at = lines.index(old)
    return lines[:at] + new + lines[at + 1:]


def indented(lines, depth=1):
    return ["    " * depth + line for line in lines]


def filled(lines, names):
    return [line.format(**names) for line in lines]
