# All pairs of two tensors, also through functions of one expression.
import torch


def area(box):
    return (box[2] - box[0]).clamp(min=0) * (box[3] - box[1]).clamp(min=0)


def overlaps(boxes, others):
    out = torch.zeros(len(boxes), len(others), device=boxes.device)
    for i in range(len(boxes)):  # expect: DP139
        for j in range(len(others)):
            low = torch.maximum(boxes[i, :2], others[j, :2])
            high = torch.minimum(boxes[i, 2:], others[j, 2:])
            size = (high - low).clamp(min=0)
            shared = size[0] * size[1]
            out[i, j] = shared / (area(boxes[i]) + area(others[j]) - shared)
    return out


def unknown(boxes, others):
    out = torch.zeros(len(boxes), len(others))
    for i in range(len(boxes)):  # hint: DP139
        for j in range(len(others)):
            out[i, j] = boxes[i] * others[j]
    return out


def recursive(boxes, depth):
    return boxes if depth == 0 else recursive(boxes, depth - 1) * 2


def of_recursive(boxes):
    out = torch.zeros(len(boxes))
    for i in range(len(boxes)):
        out[i] = recursive(boxes[i], 3)
    return out
