import numpy as np
import torch

CAPACITY = 4000
SIDE = 84
BATCH = 32
STEPS = 50


class Replay:
    def __init__(self, capacity):
        self.frames = np.zeros((capacity, SIDE, SIDE), dtype=np.uint8)
        self.at = 0

    def add(self, frame):
        self.frames[self.at] = frame
        self.at = (self.at + 1) % len(self.frames)

    def sample(self, rows):
        return torch.from_numpy(self.frames[rows]).float().div_(255.0)


generator = np.random.default_rng(0)
replay = Replay(CAPACITY)
for _ in range(CAPACITY):
    replay.add(generator.integers(0, 256, (SIDE, SIDE), dtype=np.uint8))
means = [replay.sample(generator.integers(0, CAPACITY, BATCH)).mean().item() for _ in range(STEPS)]

result = means
