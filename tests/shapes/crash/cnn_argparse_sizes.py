# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8192 and 4096x7)
import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--image-size", type=int, default=64)
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--classes", type=int, default=7)
args = parser.parse_args([])


class Net(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, args.width, 4, 2, 1),
            nn.ReLU(),
            nn.Conv2d(args.width, args.width * 2, 4, 2, 1),
            nn.ReLU(),
        )
        flat = args.width * (args.image_size // 4) ** 2  # fixed: flat = args.width * 2 * (args.image_size // 4) ** 2
        self.head = nn.Linear(flat, args.classes)

    def forward(self, x):
        x = self.features(x)
        return self.head(x.flatten(start_dim=1))  # expect: DP601


model = Net(args)
out = model(torch.randn(4, 3, args.image_size, args.image_size))
