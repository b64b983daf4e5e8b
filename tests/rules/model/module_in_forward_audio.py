import torch
import torchaudio
from torch import nn


class Keywords(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(64, 10)
        self.once = torchaudio.transforms.MelSpectrogram(16000)

    def features(self, wave):
        front = nn.Sequential(
            torchaudio.transforms.MelSpectrogram(16000),  # expect: DP236
            torchaudio.transforms.AmplitudeToDB(),
        ).to(wave.device)
        return front(wave)

    def resampled(self, wave):
        return torchaudio.transforms.Resample(44100, 16000)(wave)  # expect: DP236

    def forward(self, wave):
        wave = self.resampled(wave)
        return self.head((self.features(wave) + self.once(wave)).mean(-1))


def prepare(path):
    wave, rate = torchaudio.load(path)
    return torchaudio.transforms.Resample(rate, 16000)(wave)
