import torch
from torch.utils.data import DataLoader


class Index:
    def __init__(self, dim):
        self.features = torch.empty(0, dim)
        self.recent = torch.empty(0, dim)

    def add(self, features):
        self.features = torch.cat([self.features, features])  # expect: DP138

    def few(self, features):
        self.recent = torch.cat([self.recent, features])


def batches(model, data):
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    for pixels in loader:
        with torch.no_grad():
            yield model(pixels)


class Batches:
    def __init__(self, model, data):
        self.model = model
        self.loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)

    def __iter__(self):
        for pixels in self.loader:
            with torch.no_grad():
                yield self.model(pixels)


def build(model, data):
    index = Index(8)
    for features in batches(model, data):
        index.add(features)
    return index


def gather(model, data):
    found = torch.empty(0, 8)
    for features in Batches(model, data):
        found = torch.cat([found, features])  # expect: DP138
    return found


def three(index):
    for features in (torch.zeros(1, 8), torch.ones(1, 8), torch.rand(1, 8)):
        index.few(features)
