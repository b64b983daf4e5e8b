import torch
from torch import nn
from torch.distributions import Categorical

policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Linear(4, 1)
obs = torch.randn(20, 4)
dist = Categorical(logits=policy(obs))
action = dist.sample()
advantage = torch.randn(20) - value(obs).squeeze(-1)
loss = -(dist.log_prob(action) * advantage.detach()).mean() + advantage.pow(2).mean()
loss.backward()
single = policy(torch.rand(4)).argmax().item()
