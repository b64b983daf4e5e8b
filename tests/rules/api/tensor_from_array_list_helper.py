import random
from collections import namedtuple

import gymnasium as gym
import torch

Transition = namedtuple("Transition", "obs action reward next_obs done")


class Replay:
    def __init__(self, device):
        self.device = device
        self.data = []

    def _tensor(self, arrays, dtype):
        return torch.tensor(list(arrays), dtype=dtype, device=self.device)  # expect: DP137

    def _numbers(self, values):
        return torch.tensor(list(values), device=self.device)

    def sample(self, n):
        batch = Transition(*zip(*random.sample(self.data, n)))
        return Transition(
            self._tensor(batch.obs, torch.float32),
            self._numbers(batch.action),
            self._numbers(batch.reward),
            self._tensor(batch.next_obs, torch.float32),
            self._numbers(batch.done),
        )


env = gym.make("CartPole-v1")
