import torch
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
