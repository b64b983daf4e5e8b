import random
from collections import deque

import numpy as np
import torch
from torch import nn

STEPS = 200
BATCH = 64
OBSERVATION = 600


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, state: np.ndarray, reward: float):
        self.memory.append((state, reward))

    def sample(self, batch):
        transitions = random.sample(self.memory, batch)
        states = torch.tensor([np.asarray(state, dtype=np.float32) for state, _ in transitions])
        rewards = torch.tensor([reward for _, reward in transitions])
        return states, rewards


random.seed(0)
torch.manual_seed(0)
rng = np.random.default_rng(0)
replay = ReplayBuffer(1000)
for i in range(500):
    replay.push(rng.random(OBSERVATION, dtype=np.float32), float(i % 3))

critic = nn.Linear(OBSERVATION, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=1e-4)
losses = []
for step in range(STEPS):
    states, rewards = replay.sample(BATCH)
    loss = nn.functional.mse_loss(critic(states).squeeze(1), rewards)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
