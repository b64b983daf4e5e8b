import torch

STEPS = 2500
OBSERVATION = 128


class Rollout:
    def __init__(self):
        self.states = []
        self.rewards = []

    def add(self, state, reward):
        self.states.append(state)
        self.rewards.append(reward)

    def mean_return(self):
        return torch.stack(self.rewards).mean(), torch.stack(self.states).mean(dim=0)


def step(state, t):
    state = 0.99 * state + 0.01 * torch.cos(state + t)
    return state, state.mean()


torch.manual_seed(0)
rollout = Rollout()
state = torch.randn(OBSERVATION)
for t in range(STEPS):
    state, reward = step(state, t)
    rollout.add(state, reward)

reward, center = rollout.mean_return()
result = [reward.item(), center]
