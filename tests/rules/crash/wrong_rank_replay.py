import random
from collections import deque, namedtuple

import numpy as np
import torch
from torch import nn

Step = namedtuple("Step", ["state", "action", "reward"])
Pair = namedtuple("Pair", "left, right")
q = nn.Linear(8, 4)


class Memory:
    def __init__(self, size=1000):
        self.steps = deque(maxlen=size)

    def push(self, *step):
        self.steps.append(Step(*step))

    def sample(self, count):
        batch = Step(*zip(*random.sample(self.steps, count)))
        states = torch.as_tensor(np.stack(batch.state), dtype=torch.float32)
        return states, torch.tensor(batch.action), torch.tensor(batch.reward)


class Plain:
    def __init__(self):
        self.steps = []

    def sample(self, count):
        states, actions, rewards = zip(*random.sample(self.steps, count))
        return torch.stack(states), torch.tensor(actions), torch.tensor(rewards)


memory, plain = Memory(), Plain()
for step in range(100):
    memory.push(np.random.randn(8), random.randrange(4), random.random())
    plain.steps.append((torch.randn(8), random.randint(0, 3), random.random()))


def learn(size):
    states, actions, rewards = memory.sample(size)
    return q(states).gather(1, actions)  # expect: DP604


def learn_from_list():
    states, actions, rewards = plain.sample(32)
    return q(states).gather(1, actions)  # expect: DP604


def learn_right():
    states, actions, rewards = memory.sample(32)
    return q(states).gather(1, actions.unsqueeze(1)).squeeze(1) - rewards


def of_fields():
    pair = Pair(torch.zeros(3, 4), right=torch.zeros(5))
    pair.left + pair.right  # expect: DP602
    left, right = pair
    return pair[0].t() @ pair.left, left, right


def frames():
    stack = deque([torch.zeros(4, 4)] * 4, maxlen=4)
    stack.append(torch.ones(4, 4))
    return torch.stack(list(stack)).view(1, 4, 4, 4)


learn(32)
learn_from_list()
