import torch
from torch import nn


class ReplayBuffer:
    def __init__(self, capacity, state_dim):
        self.capacity = capacity
        self.states = torch.empty(0, state_dim)
        self.rewards = torch.empty(0)

    def push(self, state, reward):
        self.states = torch.cat([self.states, state.unsqueeze(0)])[-self.capacity:]  # expect: DP138
        self.rewards = torch.cat([self.rewards, torch.tensor([reward])])[-self.capacity:]  # expect: DP138

    def sample(self, k):
        idx = torch.randint(0, len(self), (k,))
        return self.states[idx], self.rewards[idx]

    def __len__(self):
        return self.states.shape[0]


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
