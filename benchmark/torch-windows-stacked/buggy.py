import torch
from torch import nn

SAMPLES = 150000
WINDOW = 24

torch.manual_seed(0)
series = torch.sin(torch.arange(SAMPLES) / 30) + 0.1 * torch.randn(SAMPLES)


def windows(series):
    return torch.stack([series[i:i + WINDOW] for i in range(len(series) - WINDOW + 1)])


model = nn.Linear(WINDOW, 1)
with torch.no_grad():
    scores = model(windows(series)).squeeze(1)

result = [scores.mean().item(), scores.max().item()]
