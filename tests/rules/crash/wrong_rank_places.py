import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(4, 10, 16)
images = torch.randn(4, 3, 32, 32)
classes = torch.randint(0, 5, (8,))


def smooth(scores, target, share=0.1):
    wanted = torch.zeros_like(scores).scatter(1, target, 1)  # expect: DP604
    return -(wanted * (1 - share) * F.log_softmax(scores, 1)).sum(1).mean()


smooth(torch.randn(8, 5), classes)


def in_place():
    return torch.zeros(8, 5).scatter_(1, classes, 1.0)  # expect: DP604


def added():
    return torch.zeros(8, 5).scatter_add_(0, classes.unsqueeze(1), torch.ones(8))  # expect: DP604


def several_places():
    return torch.index_select(x, 1, torch.zeros(2, 2).long())  # expect: DP604


def grid():
    return F.grid_sample(images, torch.zeros(4, 16, 2), align_corners=False)  # expect: DP604


def mode_for_images():
    return F.interpolate(x, scale_factor=2, mode="bilinear")  # expect: DP604


def layer_for_sequences():
    return nn.Upsample(scale_factor=2, mode="linear")(images)  # expect: DP604


def product_of_vectors():
    return torch.outer(x, x)  # expect: DP604


def table():
    return F.embedding(classes, torch.zeros(10))  # expect: DP604


def from_behind():
    return x.flatten(2, 1)  # expect: DP604


def silent(values, index):
    torch.zeros(8, 5).scatter_(1, classes.unsqueeze(1), 1.0)
    torch.zeros(8, 5).scatter_(1, index, values)
    torch.zeros(8, 5).scatter_add(0, classes.unsqueeze(1), torch.ones(8, 1))
    torch.index_select(x, 1, classes)
    F.interpolate(x, scale_factor=2, mode="linear")
    F.interpolate(images, scale_factor=2)
    F.interpolate(images, size=(64, 64), mode="bicubic")
    F.interpolate(x, scale_factor=2, mode=values)
    torch.outer(x[0, 0], x[0, :, 0])
    return F.embedding(classes, torch.zeros(10, 4)), x.flatten(1)
