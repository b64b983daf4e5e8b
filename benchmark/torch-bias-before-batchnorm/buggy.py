import torch
from torch import nn

BATCH = 8
CHANNELS = 16
SIZE = 32
STEPS = 20


def block():
    return nn.Sequential(nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.BatchNorm2d(CHANNELS), nn.ReLU())


torch.manual_seed(0)
model = nn.Sequential(*(block() for _ in range(4)))
model.eval()
x = torch.rand(STEPS, BATCH, CHANNELS, SIZE, SIZE)
with torch.no_grad():
    for step in range(STEPS):
        y = model(x[step])

result = list(y.shape)
