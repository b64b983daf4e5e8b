from collections import deque

import numpy as np
import torch


def scale(frame):
    return frame.astype(np.float32) / 255.0


class Replay:
    def __init__(self, capacity, shape):
        self.frames = np.zeros((capacity, *shape), dtype=np.float32)
        self.after = np.empty((capacity, 3, 64, 64))
        self.scaled = torch.zeros(capacity, 3, 64, 64)
        self.bytes = np.zeros((capacity, *shape), dtype=np.uint8)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.window = np.zeros((4, *shape), dtype=np.float32)
        self.memory = deque(maxlen=100_000)
        self.recent = deque(maxlen=4)
        self.at = 0

    def add(self, frame, after, reward):
        self.frames[self.at] = frame.astype(np.float32) / 255.0 - 0.5  # expect: DP435
        small = scale(after)
        self.after[self.at] = small  # expect: DP435
        self.scaled[self.at] = torch.from_numpy(after).float().div(255.0)  # expect: DP435
        self.bytes[self.at] = frame
        self.rewards[self.at] = reward / 255.0
        self.window[self.at % 4] = frame / 255.0
        self.memory.append((scale(frame), reward))  # expect: DP435
        self.recent.append((frame / 255.0, reward))
        self.at = (self.at + 1) % len(self.frames)

    def sample(self, rows):
        return torch.from_numpy(self.bytes[rows]).float().div_(255.0)


class Positions:
    def __init__(self, capacity, width):
        self.states = np.zeros((capacity, width), dtype=np.float32)

    def add(self, i, state):
        self.states[i] = state / 10.0
