# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3136 and 5184x6)
import torch
from torch import nn


def conv_out(size, kernel, stride=1, padding=0):
    return (size - kernel + 2 * padding) // stride + 1


class Atari(nn.Module):
    def __init__(self, frames=4, side=84, actions=6):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(frames, 32, 8, 4), nn.ReLU(),
            nn.Conv2d(32, 64, 4, 2), nn.ReLU(),
            nn.Conv2d(64, 64, 3, 1), nn.ReLU(),
        )
        s = conv_out(conv_out(side, 8, 4), 4, 2)
        #+ s = conv_out(s, 3, 1)
        self.fc = nn.Linear(64 * s * s, actions)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))  # expect: DP601


Atari()(torch.rand(2, 4, 84, 84))
