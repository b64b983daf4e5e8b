# torch 1.13: RuntimeError: Given input size: (128x1x1). Calculated output size: (128x0x0). Output size is too small
import torch
import torch.nn as nn

cfg = [16, "M", 32, "M", 64, "M", 64, "M", 128, "M"]


def make_layers(cfg, cin=3):
    layers = []
    for v in cfg:
        if v == "M":
            layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
        else:
            layers += [nn.Conv2d(cin, v, kernel_size=3, padding=1), nn.ReLU(inplace=True)]
            cin = v
    return nn.Sequential(*layers)


class VGG(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.features = make_layers(cfg)
        self.classifier = nn.Linear(128, classes)

    def forward(self, x):
        x = self.features(x)  # expect: DP612
        return self.classifier(x.view(x.size(0), -1))


model = VGG()
out = model(torch.randn(4, 3, 16, 16))  # fixed: out = model(torch.randn(4, 3, 32, 32))
