import torch
import torch.nn.functional as F
from torch import nn


def focal(logits, target, gamma=2.0):
    loss = F.cross_entropy(logits, target)
    probability = torch.exp(-loss)
    return ((1 - probability) ** gamma * loss).mean()  # expect: DP963


class Focal(nn.Module):
    def __init__(self, gamma, weight=None):
        super().__init__()
        self.gamma = gamma
        self.base = nn.CrossEntropyLoss(weight=weight)
        self.each = nn.CrossEntropyLoss(weight=weight, reduction="none")

    def forward(self, scores, labels):
        log_probability = -self.base(scores, labels)
        probability = log_probability.exp()
        return -((1 - probability) ** self.gamma) * log_probability  # expect: DP963

    def of_each(self, scores, labels):
        log_probability = -self.each(scores, labels)
        probability = log_probability.exp()
        return (-((1 - probability) ** self.gamma) * log_probability).mean()


def binary(scores, target, alpha=0.25, gamma=2):
    loss = F.binary_cross_entropy_with_logits(scores, target, reduction="mean")
    return alpha * torch.pow(1.0 - torch.exp(-loss), gamma) * loss  # expect: DP963


def base_loss(scores, target):
    return F.cross_entropy(scores, target, label_smoothing=0.1)


def through_a_function(scores, target):
    loss = base_loss(scores, target)
    factor = 1 - torch.exp(-loss)
    return factor.pow(2) * loss  # expect: DP963


def averaged_too_early(scores, target):
    loss = F.cross_entropy(scores, target, reduction="none").mean()
    return (1 - (-loss).exp()) ** 2 * loss  # expect: DP963


def right(scores, target, gamma=2.0):
    loss = F.cross_entropy(scores, target, reduction="none")
    probability = torch.exp(-loss)
    return ((1 - probability) ** gamma * loss).mean()


def chosen_by_caller(scores, target, reduction):
    loss = F.cross_entropy(scores, target, reduction=reduction)
    return (1 - torch.exp(-loss)) ** 2 * loss


def from_probabilities(scores, target, gamma=2.0):
    log_probability = F.log_softmax(scores, dim=1)
    probability = log_probability.exp()
    return F.nll_loss((1 - probability) ** gamma * log_probability, target)


def averaged_last(scores, target):
    loss = F.binary_cross_entropy(torch.sigmoid(scores), target, reduction="none")
    factor = (1 - torch.exp(-loss)) ** 2
    return (factor * loss).mean()


def perplexity(scores, target):
    loss = F.cross_entropy(scores, target)
    return loss, torch.exp(loss), 1 - torch.exp(-loss)
