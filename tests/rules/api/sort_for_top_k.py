import torch

K = 10


def fires(scores: torch.Tensor):
    ranked, order = torch.sort(scores, dim=1, descending=True)  # expect: DP165
    best = torch.argsort(scores, descending=True)[:, :5]  # expect: DP165
    values = scores.sort(descending=True)[0][:3]  # expect: DP165
    places = scores.sort(descending=True).indices[:3]  # expect: DP165
    return ranked[:, :K], order[:, :K], best, values, places


def silent(scores: torch.Tensor, k, names):
    ranked, order = torch.sort(scores, descending=True)
    every, first = torch.sort(scores)
    rest = torch.argsort(scores)[5:]
    some = torch.argsort(scores)[:k]
    most = torch.argsort(scores)[:100000]
    return ranked[:5], order, every, first[:2], rest, some, most, sorted(names)[:3]
