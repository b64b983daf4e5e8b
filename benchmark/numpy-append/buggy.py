import numpy as np
import torch
from torch import nn

FRAMES = 1500
WINDOW = 200

signal = np.sin(np.arange(FRAMES * 50 + WINDOW) / 9)


def extract(signal):
    features = np.empty((0, WINDOW // 2 + 1))
    for frame in range(FRAMES):
        window = signal[frame * 50:frame * 50 + WINDOW]
        spectrum = np.abs(np.fft.rfft(window * np.hanning(WINDOW)))
        features = np.append(features, [spectrum], axis=0)
    return features


features = torch.from_numpy(extract(signal)).float()
torch.manual_seed(0)
model = nn.Linear(WINDOW // 2 + 1, 4)
with torch.no_grad():
    scores = model(features)

result = scores.mean(dim=0).tolist()
