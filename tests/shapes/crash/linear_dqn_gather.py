# torch 1.13: RuntimeError: Index tensor must have the same number of dimensions as input tensor
import torch
import torch.nn as nn

q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
states = torch.rand(16, 4)
actions = torch.randint(0, 2, (16,))
q_values = q_net(states).gather(1, actions)  # expect: DP604  # fixed: q_values = q_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
