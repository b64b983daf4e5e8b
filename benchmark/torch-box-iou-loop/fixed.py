import torch

PREDICTIONS = 100
TRUTHS = 60


def iou_matrix(predictions, truths):
    left_top = torch.maximum(predictions[:, None, :2], truths[None, :, :2])
    right_bottom = torch.minimum(predictions[:, None, 2:], truths[None, :, 2:])
    sides = (right_bottom - left_top).clamp(min=0)
    intersection = sides[..., 0] * sides[..., 1]
    area_a = (predictions[:, 2] - predictions[:, 0]) * (predictions[:, 3] - predictions[:, 1])
    area_b = (truths[:, 2] - truths[:, 0]) * (truths[:, 3] - truths[:, 1])
    return intersection / (area_a[:, None] + area_b[None] - intersection)


def random_boxes(count):
    corners = torch.rand(count, 2)
    return torch.cat([corners, corners + torch.rand(count, 2)], dim=1)


torch.manual_seed(0)
overlaps = iou_matrix(random_boxes(PREDICTIONS), random_boxes(TRUTHS))
matched = (overlaps.max(dim=1).values > 0.5).sum().item()
result = [matched, overlaps.mean().item()]
