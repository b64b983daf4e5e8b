"""Losses that are summed row by row."""
import torch
from torch import nn
import torch.nn.functional as F


def weighted(predictions: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor):
    loss = 0.0
    for i in range(predictions.size(0)):  # expect: DP162
        loss = loss + weights[i] * F.mse_loss(predictions[i], targets[i])
    return loss / predictions.size(0)


class Step:
    def __init__(self):
        self.criterion = nn.CrossEntropyLoss()

    def loss(self, model: nn.Module, images: torch.Tensor, labels: torch.Tensor):
        scores = model(images)
        batch = images.shape[0]
        total = 0
        for i in range(batch):  # hint: DP162
            total += self.criterion(scores[i].unsqueeze(0), labels[i].unsqueeze(0))
        return total / batch


def by_rows(scores: torch.Tensor, labels: torch.Tensor):
    total = torch.zeros(())
    for row, label in zip(scores, labels):  # expect: DP162
        total += F.binary_cross_entropy_with_logits(row, label)
    return total


def few(scores: torch.Tensor, labels: torch.Tensor, outputs, heads, lengths):
    total = 0.0
    for channel in range(scores.size(1)):  # one of few
        total = total + F.mse_loss(scores[:, channel], labels[:, channel])
    for output in outputs:  # a list, perhaps of different sizes
        total = total + F.mse_loss(output, labels)
    for head in range(heads):
        total = total + F.l1_loss(scores[head], labels[head])
    for i in range(scores.size(0)):  # each of its own length
        total = total + F.mse_loss(scores[i, :lengths[i]], labels[i, :lengths[i]])
    for i in range(scores.size(0)):  # depends on the iteration before
        total = total + F.mse_loss(scores[i] * total, labels[i])
    return total
