"""Targets that are made where the batches of a loader are made."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def as_dict(rows):
    word = torch.tensor([row["word"] for row in rows])
    return {"x": torch.stack([row["x"] for row in rows]), "target": F.one_hot(word, 12), "word": word}


def as_tuple(rows):
    x, y = zip(*rows)
    return torch.stack(x), F.one_hot(torch.tensor(y), 12)


def as_floats(rows):
    x, y = zip(*rows)
    return torch.stack(x), F.one_hot(torch.tensor(y), 12).float()


class Samples(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        x, y = self.rows[index]
        return x, F.one_hot(torch.tensor(y), 12)


def train_dict(model: nn.Module, rows, device):
    criterion = nn.NLLLoss()
    for batch in DataLoader(rows, batch_size=32, shuffle=True, num_workers=2, collate_fn=as_dict):
        batch = {key: value.to(device) for key, value in batch.items()}
        scores = F.log_softmax(model(batch["x"]), dim=-1)
        criterion(scores, batch["target"]).backward()  # expect: DP881
        criterion(scores, batch["word"]).backward()


class Trainer:
    def __init__(self, model: nn.Module, rows):
        self.model = model
        self.loader = DataLoader(rows, batch_size=32, shuffle=True, num_workers=2, collate_fn=as_tuple)
        self.loss = nn.NLLLoss()

    def step(self, batch):
        x, y = batch
        return self.loss(F.log_softmax(self.model(x), dim=-1), y)  # expect: DP881

    def train(self):
        for batch in self.loader:
            self.step(batch).backward()


def train_samples(model: nn.Module, rows):
    loader = DataLoader(Samples(rows), batch_size=32, shuffle=True, num_workers=2)
    for i, (x, y) in enumerate(loader):
        F.nll_loss(F.log_softmax(model(x), dim=-1), y).backward()  # expect: DP881


def train_floats(model: nn.Module, rows):
    for x, y in DataLoader(rows, batch_size=32, shuffle=True, num_workers=2, collate_fn=as_floats):
        F.cross_entropy(model(x), y).backward()
    for x, y in DataLoader(rows, batch_size=32, shuffle=True, num_workers=2, collate_fn=as_tuple):
        F.cross_entropy(model(x), y.float()).backward()
        F.cross_entropy(model(x), y.argmax(dim=-1)).backward()
        y = y.to(torch.float32)
        F.cross_entropy(model(x), y).backward()


def train_unknown(model: nn.Module, rows, collate):
    for x, y in DataLoader(rows, batch_size=32, shuffle=True, num_workers=2, collate_fn=collate):
        F.cross_entropy(model(x), y).backward()


def backward(model, x, y):
    F.cross_entropy(model(x), y).backward()


def train_converted(model: nn.Module, rows):
    for x, y in DataLoader(rows, batch_size=32, shuffle=True, num_workers=2, collate_fn=as_tuple):
        y = y.to(torch.float32)
        backward(model, x, y)
