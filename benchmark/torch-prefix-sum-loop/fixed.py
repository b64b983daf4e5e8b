import torch
from torch import nn

EPISODES = 10
LENGTH = 4000

torch.manual_seed(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=1e-3)


def rewards_to_go(rewards):
    return rewards.flip(0).cumsum(0).flip(0)


losses = []
for episode in range(EPISODES):
    states = torch.randn(LENGTH, 4)
    rewards = torch.rand(LENGTH)
    log_probs = policy(states).log_softmax(dim=1)[:, 0]
    loss = -(log_probs * rewards_to_go(rewards)).mean() / LENGTH
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
