import random
from collections import namedtuple
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import torch

Step = namedtuple("Step", "seen action reward next_seen done")
Pair = namedtuple("Pair", ["first", "second"])


class Typed(NamedTuple):
    frame: np.ndarray
    action: int
    reward: float
    next_frame: np.ndarray


class Agent:
    def __init__(self):
        self.memory = []
        self.env = gym.make("CartPole-v1")

    def stack(self, arrays):
        return torch.tensor(arrays)  # expect: DP137

    def stack_well(self, arrays):
        return torch.from_numpy(np.stack(arrays))

    def learn(self):
        batch = Step(*zip(*random.sample(self.memory, 32)))
        seen = self.stack(batch.seen)
        after = torch.FloatTensor(batch.next_seen)  # expect: DP137
        actions = torch.tensor(batch.action)
        rewards = torch.tensor(batch.reward, dtype=torch.float32)
        return seen, after, actions, rewards

    def learn_typed(self):
        batch = Typed(*zip(*random.sample(self.memory, 32)))
        return torch.as_tensor(batch.frame), torch.as_tensor(batch.reward)  # expect: DP137

    def learn_well(self):
        batch = Step(*zip(*random.sample(self.memory, 32)))
        return self.stack_well(batch.seen), torch.tensor(np.array(batch.next_seen)), torch.tensor(batch.done)

    def pairs(self):
        batch = Pair(*zip(*self.memory))
        return torch.tensor(batch.first)

    def one(self):
        step = Step(*self.memory[0])
        return torch.tensor(step.seen)
