import torch
from torch import nn


class ReplayBuffer:
    def __init__(self, capacity, state_dim):
        self.capacity = capacity
        self.states = torch.empty(capacity, state_dim)
        self.rewards = torch.empty(capacity)
        self.n = 0

    def push(self, state, reward):
        at = self.n % self.capacity
        self.states[at] = state
        self.rewards[at] = reward
        self.n += 1

    def sample(self, k):
        idx = torch.randint(0, len(self), (k,))
        return self.states[idx], self.rewards[idx]

    def __len__(self):
        return min(self.n, self.capacity)


def learn(env, steps):
    buf = ReplayBuffer(100_000, env.state_dim)
    critic = nn.Sequential(nn.Linear(env.state_dim, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.Adam(critic.parameters())
    s = torch.as_tensor(env.reset())
    for t in range(steps):
        nxt, r = env.step()
        buf.push(s, r)
        s = torch.as_tensor(nxt)
        if len(buf) >= 64:
            x, y = buf.sample(64)
            loss = nn.functional.mse_loss(critic(x).squeeze(1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
