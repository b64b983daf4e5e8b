import random

import gymnasium
import torch


class Buffer:
    def __init__(self):
        self.memory = []

    def sample(self, n):
        states, actions, rewards, done = zip(*random.sample(self.memory, n))
        states = torch.tensor(states, dtype=torch.float32)  # expect: DP137
        actions = torch.tensor(actions)
        return states, actions, torch.tensor(rewards), torch.tensor(done)


def pairs(items):
    a, b = zip(*items)
    return torch.tensor(a), torch.tensor(b)


env = gymnasium.make("CartPole-v1")
