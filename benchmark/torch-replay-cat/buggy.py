import torch

STEPS = 2500
OBSERVATION = 128


class Rollout:
    def __init__(self):
        self.states = torch.zeros(0, OBSERVATION)
        self.rewards = torch.zeros(0)

    def add(self, state, reward):
        self.states = torch.cat((self.states, state.unsqueeze(0)))
        self.rewards = torch.cat((self.rewards, reward.unsqueeze(0)))

    def mean_return(self):
        return self.rewards.mean(), self.states.mean(dim=0)


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
