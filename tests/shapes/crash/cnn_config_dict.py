# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x2304 and 9216x128)
import torch
from torch import nn

CONFIG = {
    "channels": [3, 16, 32, 64],
    "kernel": 3,
    "hidden": 128,
    "classes": 5,
    "image": 48,
}


def make_model(cfg):
    layers = []
    for c_in, c_out in zip(cfg["channels"], cfg["channels"][1:]):
        layers += [nn.Conv2d(c_in, c_out, cfg["kernel"], padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    layers.append(nn.Flatten())
    side = cfg["image"] // 4  # fixed: side = cfg["image"] // 8
    layers.append(nn.Linear(64 * side * side, cfg["hidden"]))  # or here
    layers.append(nn.ReLU())
    layers.append(nn.Linear(cfg["hidden"], cfg["classes"]))
    return nn.Sequential(*layers)


model = make_model(CONFIG)
scores = model(torch.randn(2, 3, CONFIG["image"], CONFIG["image"]))  # expect: DP601
