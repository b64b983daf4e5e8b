"""Candidates that are compared with rows of a tensor one by one."""
import numpy as np
import torch


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def overlap(a, b):
    left, top = torch.max(a[0], b[0]), torch.max(a[1], b[1])
    right, bottom = torch.min(a[2], b[2]), torch.min(a[3], b[3])
    inside = (right - left).clamp(min=0) * (bottom - top).clamp(min=0)
    return inside / (area(a) + area(b) - inside)


def suppress(boxes: torch.Tensor, scores: torch.Tensor, threshold):
    order = scores.argsort(descending=True).tolist()
    kept = []
    while order:
        best = order.pop(0)
        kept.append(best)
        order = [other for other in order if overlap(boxes[best], boxes[other]) < threshold]  # expect: DP162
    return kept


def near(points: torch.Tensor, center: torch.Tensor):
    return [i for i in range(len(points)) if torch.norm(points[i] - center) < 1]  # expect: DP162


def masks(found: np.ndarray):
    return [mask for mask in found if np.sum(mask) > 10]


def lookup(names, sizes):
    return [name for name in names if max(sizes[name], 2) > 3]


def of_lists(words, scores):
    return [word for word in words if word in scores and len(word) > 2]


def of_unknown(rows, score):
    return [row for row in rows if score(row).max() > 0.5]
