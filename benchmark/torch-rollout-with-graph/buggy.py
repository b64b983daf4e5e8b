import torch
from torch import nn
from torch.distributions import Categorical

ENVIRONMENTS = 512
OBSERVATION = 64
ACTIONS = 8
STEPS = 128
EPOCHS = 2


class Environment:
    def reset(self):
        self.state = torch.linspace(-1, 1, ENVIRONMENTS * OBSERVATION).reshape(ENVIRONMENTS, OBSERVATION)
        return self.state

    def step(self, action):
        self.state = torch.cos(self.state + action.unsqueeze(1))
        return self.state, self.state.mean(dim=1)


def make_policy():
    return nn.Sequential(nn.Linear(OBSERVATION, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, ACTIONS))


def collect(env, policy):
    observation = env.reset()
    observations, actions, log_probs, rewards = [], [], [], []
    for _ in range(STEPS):
        dist = Categorical(logits=policy(observation))
        action = dist.sample()
        observations.append(observation)
        actions.append(action)
        log_probs.append(dist.log_prob(action))
        observation, reward = env.step(action)
        rewards.append(reward)
    return torch.stack(observations), torch.stack(actions), torch.stack(log_probs), torch.stack(rewards)


def update(policy, optimizer, observations, actions, old, rewards):
    advantages = rewards - rewards.mean()
    for epoch in range(EPOCHS):
        for start in range(0, STEPS, 8):
            part = slice(start, start + 8)
            new = Categorical(logits=policy(observations[part])).log_prob(actions[part])
            ratio = torch.exp(new - old[part].detach())
            loss = -(ratio * advantages[part]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


torch.manual_seed(0)
policy = make_policy()
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
rollout = collect(Environment(), policy)
result = update(policy, optimizer, *rollout)
