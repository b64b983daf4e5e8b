import torch
import torch.nn.functional as F


def classes(logits, y):
    return F.cross_entropy(logits, F.one_hot(y, 10))  # expect: DP881


def log_probabilities(logits, y):
    target = F.one_hot(y, 10)
    return F.nll_loss(F.log_softmax(logits, 1), target)  # expect: DP881


def module(logits, y):
    criterion = torch.nn.CrossEntropyLoss()
    rows = F.one_hot(y, 10)
    return criterion(logits, rows)  # expect: DP881


def probabilities(logits, y):
    return F.cross_entropy(logits, F.one_hot(y, 10).float())


def indices(logits, y):
    return F.cross_entropy(logits, y)


def binary(logits, y):
    return F.binary_cross_entropy_with_logits(logits, F.one_hot(y, 10).float())
