# Settings that reach the loader as `**` of an object's fields.
import json
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return np.asarray(Image.open(self.paths[index]).convert("RGB"))


@dataclass
class Plain:
    batch_size: int = 8
    num_workers: int = 0


@dataclass
class Shared:
    batch_size: int = 8
    num_workers: int = field(default=0)


@dataclass
class Derived(Shared):
    drop_last: bool = True


@dataclass
class Busy:
    batch_size: int = 8
    num_workers: int = 4


class Options(NamedTuple):
    batch_size: int = 8
    num_workers: int = 0


def plain(paths, options: Plain):
    return DataLoader(Pictures(paths), shuffle=True, **asdict(options))  # expect: DP130


def by_vars(paths):
    options = Shared()
    return DataLoader(Pictures(paths), **vars(options))  # expect: DP130


def of_base_class(paths):
    options = Derived(batch_size=4)
    return DataLoader(Pictures(paths), **asdict(options))  # expect: DP130


def of_named_tuple(paths):
    return DataLoader(Pictures(paths), **Options()._asdict())  # expect: DP130


DEFAULTS = {"workers": 0, "batch": 4}


def load_settings(path):
    settings = dict(DEFAULTS)
    if path is not None:
        with open(path) as file:
            settings.update(json.load(file))
    return settings


def by_file(paths, path):
    settings = load_settings(path)
    return DataLoader(Pictures(paths), settings["batch"], num_workers=settings["workers"])  # expect: DP130


# ---- Silent


def busy(paths, options: Busy):
    return DataLoader(Pictures(paths), shuffle=True, **asdict(options), persistent_workers=True)


@dataclass
class Chosen:
    batch_size: int = 8
    num_workers: int = 0


def chosen(paths):
    return DataLoader(Pictures(paths), **asdict(Chosen(num_workers=6)), persistent_workers=True)


@dataclass
class Given:
    num_workers: int
    batch_size: int = 8


def given(paths, n):
    return DataLoader(Pictures(paths), **asdict(Given(n)))


def from_file_alone(paths, path):
    settings = {"workers": 0}
    settings.update(json.load(open(path)))
    return DataLoader(Pictures(paths), 4, num_workers=settings["workers"])


def unknown(paths, options):
    return DataLoader(Pictures(paths), **asdict(options))
