# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x23 and 17x64)
import torch
import torch.nn as nn


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super(Critic, self).__init__()
        self.l1 = nn.Linear(state_dim, 64)  # fixed: self.l1 = nn.Linear(state_dim + action_dim, 64)
        self.l2 = nn.Linear(64, 1)

    def forward(self, state, action):
        q = torch.relu(self.l1(torch.cat([state, action], 1)))  # expect: DP601
        return self.l2(q)


critic = Critic(state_dim=17, action_dim=6)
value = critic(torch.randn(32, 17), torch.randn(32, 6))
