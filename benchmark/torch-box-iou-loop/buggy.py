import torch

PREDICTIONS = 100
TRUTHS = 60


def iou_matrix(predictions, truths):
    overlaps = torch.zeros(predictions.shape[0], truths.shape[0])
    for i in range(predictions.shape[0]):
        for j in range(truths.shape[0]):
            left_top = torch.maximum(predictions[i, :2], truths[j, :2])
            right_bottom = torch.minimum(predictions[i, 2:], truths[j, 2:])
            sides = (right_bottom - left_top).clamp(min=0)
            intersection = sides[0] * sides[1]
            area_a = (predictions[i, 2] - predictions[i, 0]) * (predictions[i, 3] - predictions[i, 1])
            area_b = (truths[j, 2] - truths[j, 0]) * (truths[j, 3] - truths[j, 1])
            overlaps[i, j] = intersection / (area_a + area_b - intersection)
    return overlaps


def random_boxes(count):
    corners = torch.rand(count, 2)
    return torch.cat([corners, corners + torch.rand(count, 2)], dim=1)


torch.manual_seed(0)
overlaps = iou_matrix(random_boxes(PREDICTIONS), random_boxes(TRUTHS))
matched = (overlaps.max(dim=1).values > 0.5).sum().item()
result = [matched, overlaps.mean().item()]
