# torch 1.13: RuntimeError: Given groups=1, weight of size [16, 3, 3, 3], expected input[16, 1, 28, 28] to have 3 channels, but got 1 channels instead
import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1),  # or here  # fixed: nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(inplace=True),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 10),
)

batch = torch.randn(16, 1, 28, 28)
logits = model(batch)  # expect: DP601
