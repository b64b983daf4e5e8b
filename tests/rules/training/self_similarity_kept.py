import torch
import torch.nn.functional as F
from torch import nn


def nt_xent(first, second, temperature):
    z = F.normalize(torch.cat([first, second]), dim=1)
    scores = z @ z.T / temperature
    labels = torch.arange(len(z), device=z.device).roll(len(first))
    return F.cross_entropy(scores, labels)  # expect: DP964


class Contrastive(nn.Module):
    def __init__(self, temperature=0.5):
        super().__init__()
        self.temperature = temperature
        self.criterion = nn.CrossEntropyLoss()

    def similarity(self, z):
        z = F.normalize(z, dim=1)
        return torch.mm(z, z.t()) / self.temperature

    def forward(self, first, second):
        size = first.size(0)
        scores = self.similarity(torch.cat([first, second]))
        positions = torch.arange(size, device=first.device)
        labels = torch.cat([positions + size, positions])
        return self.criterion(scores, labels)  # expect: DP964


def cosine(z, size):
    scores = F.cosine_similarity(z.unsqueeze(1), z.unsqueeze(0), dim=2)
    return F.cross_entropy(scores * 10, (torch.arange(2 * size) + size) % (2 * size))  # expect: DP964


def of_itself(z):
    scores = torch.matmul(z, z.transpose(0, 1))
    return F.cross_entropy(scores, torch.arange(len(z)))  # expect: DP964


def masked(first, second, temperature):
    z = F.normalize(torch.cat([first, second]), dim=1)
    scores = z @ z.T / temperature
    scores = scores.masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    return F.cross_entropy(scores, torch.arange(len(z)).roll(len(first)))


def filled(first, second):
    z = F.normalize(torch.cat([first, second]), dim=1)
    scores = z @ z.T
    scores.fill_diagonal_(-1e9)
    return F.cross_entropy(scores, torch.arange(len(z)).roll(len(first)))


def clip(images, texts, scale):
    scores = images @ texts.T * scale
    labels = torch.arange(len(images), device=images.device)
    return (F.cross_entropy(scores, labels) + F.cross_entropy(scores.T, labels)) / 2


def classes(z, labels):
    return F.cross_entropy(z @ z.T, labels)


def momentum(query, key):
    return F.cross_entropy(query @ key.T / 0.07, torch.arange(len(query)))
