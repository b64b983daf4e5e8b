import numpy as np
import torch
import torchvision
from torch import nn

model = nn.Linear(3, 3)


def fires(images, n):
    for image in images:
        a = model(image.unsqueeze(0))  # hint: DP146
        b = model(image[None])  # hint: DP146
        c = model(torch.unsqueeze(image, 0).to("cuda"))  # hint: DP146
    for i in range(n):
        d = model(images[i][None, :])  # hint: DP146
    return a, b, c, d


def silent(images, x, optimizer, train_loader):
    a = model(x.unsqueeze(0))
    for image in images:
        a = model(x.unsqueeze(0))
        a = model(image)
        a = model(image.unsqueeze(1))
        a = model(image[:, None])
    for image in images:
        model(image[None]).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    for image in images:
        a, x = model(image[None], x)  # expect: DP610
    for batch in train_loader:
        a = model(batch[None])
    for i in range(2):
        a = model(images[i][None])
    while True:
        a = model(x[None])  # expect: DP441
        if a.sum() > 0:
            break
    return a


@torch.no_grad()
def of_rows(images: torch.Tensor):
    return [model(image[None]) for image in images]  # expect: DP146


@torch.no_grad()
def in_loop(images: torch.Tensor):
    scores = []
    for image in images:
        scores.append(model(image.unsqueeze(0)))  # expect: DP146
    return scores


class Service:
    def __init__(self):
        self.encoder = nn.Linear(3, 3).eval()

    def embed(self, item):
        with torch.no_grad():
            return self.encoder(item[None])[0]  # expect: DP146

    def embed_some(self, item):
        with torch.no_grad():
            return self.encoder(item[None])[0]  # hint: DP146

    def answer(self, item):
        with torch.no_grad():
            return self.encoder(item[None])[0]


def embed_all(rows: torch.Tensor, items: dict):
    service = Service()
    vectors = [service.answer(rows[0])]
    for row in rows:
        vectors.append(service.embed(row))
    for key, item in items.items():
        vectors.append(service.embed_some(item))
    return vectors


class Pictures(torch.utils.data.Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, index):
        first = torchvision.io.read_image(self.files[index])
        second = torchvision.io.read_image(self.files[index + 1])
        return first, second

    def __len__(self):
        return len(self.files) - 1


class Flow(nn.Module):
    def forward(self, first, second, state=None):
        return first + second


flow = Flow()


@torch.no_grad()
def of_dataset(files):
    pictures = Pictures(files)
    results = []
    for i in range(len(pictures)):
        first, second = pictures[i]
        first = first[None].cuda()
        second = second[None].cuda()
        results.append(flow(first, second))  # expect: DP146
    return results


@torch.no_grad()
def under_names(items):
    results = []
    for item in items:
        if item.dim() == 2:
            batch = item.unsqueeze(0)
        else:
            batch = item[None]
        one = item[None].half()
        results.append(flow(one, batch))  # hint: DP146
    return results


@torch.no_grad()
def neighbours(x: torch.Tensor, n):
    results = torch.zeros(n, 3)
    ids = np.arange(0, n, 1)
    ids = np.append(ids, n)
    for i in range(len(ids) - 1):
        results[ids[i] : ids[i + 1]] = flow(x[ids[i] : ids[i + 1]], None)  # expect: DP146
    return results


@torch.no_grad()
def steps_of_five(x: torch.Tensor, n):
    results = []
    ids = np.arange(0, n, 5)
    for i in range(len(ids) - 1):
        results.append(flow(x[ids[i] : ids[i + 1]], None))
    return results


@torch.no_grad()
def recurrent(items):
    state = None
    for item in items:
        one = item[None]
        state = flow(one, one, state)
    previous = items[0][None]
    for item in items:
        one = item[None]
        state = flow(one, previous)
        previous = one
    for item in items:
        one = item[None]
        if item.sum() > 0:
            state = one
        flow(one, state)
    return state


@torch.no_grad()
def rebound_item(items, n):
    previous = items[0]
    results = []
    for item in items:
        item = item + previous
        one = item[None]
        previous = item * 0.5
        results.append(flow(one, one))
    for item in items:
        one = item[None]
        for _ in range(n):
            results.append(one.sum())
            one = previous
        previous = item
        results.append(flow(one, one))
    return results


@torch.no_grad()
def autoregressive(x: torch.Tensor, n):
    for i in range(n):
        x[i + 1 : i + 2] = flow(x[i : i + 1], None)
    return x


@torch.no_grad()
def prefixes(x: torch.Tensor, n):
    return_values = []
    for i in range(n):
        return_values.append(flow(x[None, :i], None))  # hint: DP146
    return return_values


@torch.no_grad()
def first_match(x: torch.Tensor):
    for i in range(len(x)):
        if flow(x[i : i + 1], None).sum() > 0:  # hint: DP146
            return i
    return None


@torch.no_grad()
def with_other(x: torch.Tensor, queue, n):
    results = []
    for i in range(n):
        results.append(flow(x[i : i + 1], queue.next_state()))  # hint: DP146
    return results


def trains(items, optimizer):
    for item in items:
        one = item[None]
        flow(one, one).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
