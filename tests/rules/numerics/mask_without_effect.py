import torch
import torch.nn as nn
import torch.nn.functional as F


def typo(q, k, v, mask):
    scores = (q @ k.transpose(-1, -2)).masked_fill(mask == 0, 1e-9)  # expect: DP706
    return scores.softmax(-1) @ v  # expect: DP151


def zero(scores, mask):
    scores = scores.masked_fill(mask, 0)  # expect: DP706
    return torch.softmax(scores, dim=-1)


def in_place(scores, mask):
    scores.masked_fill_(mask, 0.0)  # expect: DP706
    return F.softmax(scores, dim=-1)


def at_once(scores, mask):
    return F.softmax(scores.masked_fill(mask, 1e-10), dim=-1)  # expect: DP706


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, scores, mask):
        scores = scores.masked_fill(mask, 1e-12)  # expect: DP706
        return self.softmax(scores)


# ---- Silent


def right(scores, mask, weights):
    scores = scores.masked_fill(mask, float("-inf"))
    weights = weights.masked_fill(mask, 0)
    other = scores.masked_fill(mask, -1e9)
    return scores.softmax(-1) * weights, other.softmax(-1)


def behind(scores, mask):
    attention = torch.softmax(scores, dim=-1)
    attention = attention.masked_fill(mask, 0)
    return attention


def pooled(scores, x, mask, branches):
    scores = scores.masked_fill(mask.eq(0), -1e9)
    scores = torch.softmax(scores, dim=-1).masked_fill(mask.eq(0), 0.0)
    weights = torch.softmax(torch.cat([scores @ x, branches], dim=-1), dim=-1)
    scores = torch.softmax(scores, dim=-1)
    return weights, scores


# Weights after the softmax are set to 0, and the other branch has no mask.
def pooled_in_branch(scores: torch.Tensor, mask, x):
    if mask is not None:
        scores = scores.masked_fill(mask.eq(0), float("-inf"))
        scores = torch.softmax(scores, dim=-1).masked_fill(mask.eq(0), 0.0)
    else:
        scores = torch.softmax(scores, dim=-1)
    return scores @ x


def in_one_branch(scores: torch.Tensor, mask):
    if mask is not None:
        scores = scores.masked_fill(mask.eq(0), 0.0)  # expect: DP706
    return torch.softmax(scores, dim=-1)
