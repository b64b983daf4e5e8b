import torch
from torch import nn

BATCH = 4
SIDE = 128

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(64, 136),
    nn.ReLU(),
    nn.Linear(136, 10),
)
with torch.no_grad():
    scores = model(torch.rand(BATCH, 3, SIDE, SIDE))

result = scores.shape
