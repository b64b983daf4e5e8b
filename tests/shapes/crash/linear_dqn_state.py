# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x4 and 2x128)
import torch
import torch.nn as nn
import torch.nn.functional as F


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))  # expect: DP601
        x = F.relu(self.layer2(x))
        return self.layer3(x)


n_actions = 2
n_observations = 4
policy_net = DQN(n_actions, n_observations)  # fixed: policy_net = DQN(n_observations, n_actions)
state = torch.tensor([0.1, 0.0, -0.2, 0.3], dtype=torch.float32).unsqueeze(0)
action = policy_net(state).max(1)[1].view(1, 1)
