import torch
from torch import nn

cfg = [8, "M", 16, 16, "M", 32, "A"]


def make_layers(cfg, in_channels=3, batch_norm=True):
    layers = []
    for v in cfg:
        if v == "M":
            layers.append(nn.MaxPool2d(2, 2))
        elif v == "A":
            layers.append(nn.AdaptiveAvgPool2d((3, 3)))
        else:
            layers.append(nn.Conv2d(in_channels, v, 3, padding=1))
            if batch_norm:
                layers.append(nn.BatchNorm2d(v))
            layers.append(nn.ReLU(inplace=True))
            in_channels = v
    return nn.Sequential(*layers)


features = make_layers(cfg)
out = features(torch.randn(2, 3, 33, 47))
nn.Linear(32 * 9, 4)(out.flatten(1))
