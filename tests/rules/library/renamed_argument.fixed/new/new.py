import torch
import torchvision
from torchvision import models
from torchvision.models import resnet18


def fires(flag):
    a = torchvision.models.resnet50(weights="IMAGENET1K_V1")  # expect: DP303
    b = models.vgg16(num_classes=3, weights=None)
    c = resnet18(pretrained=flag)  # expect: DP303
    return a, b, c


def silent(build):
    a = models.resnet50(weights="DEFAULT")
    b = build(pretrained=True)
    c = torch.nn.MSELoss(reduction="sum")
    try:
        d = models.resnet50(pretrained=True)
    except TypeError:
        d = None
    return a, b, c, d
