# num_workers and pin_memory, however the program says them.
import argparse
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset
from torchvision import datasets, transforms
from transformers import AutoTokenizer


class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return np.asarray(Image.open(self.paths[index]).convert("RGB"))


class Texts(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return self.tokenizer(self.texts[index], truncation=True)  # expect: DP149


class InMemory(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 3)
        self.y = np.zeros(n)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index].float(), torch.tensor(self.y[index])


class OnDevice(Dataset):
    def __init__(self, paths):
        self.x = torch.stack([torch.from_numpy(np.load(path)) for path in paths]).cuda()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index]


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as lines:
            for line in lines:
                yield line


@dataclass
class Config:
    workers: int = 0
    many: int = 8


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("-j", "--num-workers", type=int, default=8)
    parser.add_argument("--pin-memory", action="store_true")
    return parser.parse_args()


def from_options(paths):
    args = parse()
    a = DataLoader(Pictures(paths), 8, num_workers=args.workers)  # expect: DP130
    b = DataLoader(Pictures(paths), 8, num_workers=args.num_workers)
    return a, b


def from_config(paths, config: Config):
    a = DataLoader(Pictures(paths), 8, num_workers=config.workers)  # expect: DP130
    b = DataLoader(Pictures(paths), 8, num_workers=config.many)
    return a, b


def from_dicts(paths, unknown):
    settings = {"batch_size": 8, "shuffle": True}
    a = DataLoader(Pictures(paths), **settings)  # expect: DP130
    with_workers = dict(batch_size=8, num_workers=4)
    b = DataLoader(Pictures(paths), **with_workers)
    updated = {"batch_size": 8}
    if torch.cuda.is_available():
        updated.update({"num_workers": 4, "pin_memory": True})
    c = DataLoader(Pictures(paths), **updated)
    d = DataLoader(Pictures(paths), **unknown)
    return a, b, c, d


def make_loader(dataset, batch_size, **options):
    return DataLoader(dataset, batch_size=batch_size, **options)  # expect: DP130


def through_a_factory(paths):
    return make_loader(Pictures(paths), 8, shuffle=True)


def make_with_workers(dataset, **options):
    return DataLoader(dataset, batch_size=8, **options)


def through_another_factory(paths):
    return make_with_workers(Pictures(paths), num_workers=4)


def by_partial(paths):
    make = partial(DataLoader, batch_size=8, num_workers=4)
    return make(Pictures(paths))


def tokenized(texts):
    return DataLoader(Texts(texts), batch_size=8)  # expect: DP130


def read_together(batch):
    return [np.load(path) for path in batch]


def collated(paths):
    return DataLoader(paths, batch_size=8, collate_fn=read_together)  # hint: DP130


class Pad:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __call__(self, batch):
        return self.tokenizer.pad(batch, return_tensors="pt")


def padded(rows: list):
    return DataLoader(rows, batch_size=8, collate_fn=Pad())


class OwnLoader(DataLoader):
    def __init__(self, paths):
        super().__init__(Pictures(paths), batch_size=8)  # expect: DP130


class Module:
    def __init__(self, paths, num_workers=0):
        self.train_set = Pictures(paths)
        self.num_workers = num_workers

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=8, num_workers=self.num_workers)  # expect: DP130


def in_memory(n, paths):
    a = DataLoader(InMemory(n), batch_size=8)
    b = DataLoader(OnDevice(paths), batch_size=8)
    return a, b


def iterable(path):
    train_loader = DataLoader(Lines(path), batch_size=8)  # hint: DP130
    return train_loader


def chosen(paths):
    return DataLoader(Pictures(paths), batch_size=8, num_workers=0)  # hint: DP130


def train_unpinned(model, paths, criterion):
    loader = DataLoader(Pictures(paths), batch_size=8, num_workers=4)  # expect: DP132
    for x, y in loader:
        criterion(model(x.cuda()), y.cuda()).backward()


def train_unpinned_by_default(model, paths, criterion):
    args = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Pictures(paths), 8, num_workers=args.num_workers, pin_memory=args.pin_memory)  # expect: DP132
    for x, y in loader:
        criterion(model(x.to(device)), y.to(device)).backward()


def train_pinned(model, paths, criterion):
    loader = DataLoader(Pictures(paths), batch_size=8, num_workers=4, pin_memory=True)
    for x, y in loader:
        x = x.cuda()  # expect: DP132
        criterion(model(x), y.cuda(non_blocking=True)).backward()


def train_pinned_and_overlapped(model, paths, criterion):
    options = {"num_workers": 4, "pin_memory": True}
    loader = DataLoader(Pictures(paths), batch_size=8, **options)
    for x, y in loader:
        x = x.cuda(non_blocking=True)
        criterion(model(x), y.cuda(non_blocking=True)).backward()


def train_on_the_cpu(model, paths, criterion):
    loader = DataLoader(Pictures(paths), batch_size=8, num_workers=4)
    for x, y in loader:
        criterion(model(x.to("cpu")), y.to("cpu")).backward()


def by_trainer(model, texts):
    from transformers import Trainer, TrainingArguments

    training_args = TrainingArguments(output_dir="out", per_device_train_batch_size=8)
    a = Trainer(model=model, args=training_args, train_dataset=Texts(texts))  # expect: DP130
    b = Trainer(model=model, args=TrainingArguments("out", dataloader_num_workers=4), train_dataset=Texts(texts))
    return a, b


def collated_list(n):
    return DataLoader([f"{i}.npy" for i in range(n)], batch_size=8, collate_fn=read_together)  # expect: DP130
