import numpy as np
import torch


def by_names(a, b):
    width = torch.minimum(a[:, 2], b[:, 2]) - torch.maximum(a[:, 0], b[:, 0])
    height = torch.minimum(a[:, 3], b[:, 3]) - torch.maximum(a[:, 1], b[:, 1])
    return width * height  # expect: DP900


def by_axes(a, b):
    top_left = torch.max(a[:, None, :2], b[None, :, :2])
    bottom_right = torch.min(a[:, None, 2:], b[None, :, 2:])
    extent = bottom_right - top_left
    return extent[..., 0] * extent[..., 1]  # expect: DP900


def at_once(a, b):
    left, top = max(a[0], b[0]), max(a[1], b[1])
    right, bottom = min(a[2], b[2]), min(a[3], b[3])
    return (right - left) * (bottom - top)  # expect: DP900


def in_one_expression(a, b):
    return (np.minimum(a[2], b[2]) - np.maximum(a[0], b[0])) * (  # expect: DP900
        np.minimum(a[3], b[3]) - np.maximum(a[1], b[1])
    )


def plain(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height  # expect: DP900


def clamped(a, b):
    width = (torch.minimum(a[:, 2], b[:, 2]) - torch.maximum(a[:, 0], b[:, 0])).clamp(min=0)
    height = (torch.minimum(a[:, 3], b[:, 3]) - torch.maximum(a[:, 1], b[:, 1])).clamp(min=0)
    return width * height


def clamped_later(a, b):
    extent = torch.min(a[:, None, 2:], b[None, :, 2:]) - torch.max(a[:, None, :2], b[None, :, :2])
    extent = extent.clamp(min=0)
    return extent[..., 0] * extent[..., 1]


def clamped_in_place(a, b):
    extent = torch.min(a[:, None, 2:], b[None, :, 2:]) - torch.max(a[:, None, :2], b[None, :, :2])
    extent.clamp_(min=0)
    return extent[..., 0] * extent[..., 1]


def tested(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0
    return width * height


def masked(a, b):
    width = np.minimum(a[2], b[2]) - np.maximum(a[0], b[0])
    height = np.minimum(a[3], b[3]) - np.maximum(a[1], b[1])
    return np.where((width > 0) & (height > 0), width * height, 0)


def edges_tested(a, b):
    left, top = max(a[0], b[0]), max(a[1], b[1])
    right, bottom = min(a[2], b[2]), min(a[3], b[3])
    if right < left or bottom < top:
        return 0.0
    return (right - left) * (bottom - top)


def one_max(a, b):
    width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return width * height


def enclosing(a, b):
    width = torch.maximum(a[:, 2], b[:, 2]) - torch.minimum(a[:, 0], b[:, 0])
    height = torch.maximum(a[:, 3], b[:, 3]) - torch.minimum(a[:, 1], b[:, 1])
    return width * height


def area(a):
    return (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
