# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)
import torch
import torch.nn.functional as F
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)
        self.affine2 = nn.Linear(128, 2)

    def forward(self, x):
        x = F.relu(self.affine1(x))
        action_scores = self.affine2(x)
        return F.softmax(action_scores, dim=1)  # expect: DP604


policy = Policy()
state = torch.tensor([0.02, -0.01, 0.04, 0.0])
probs = policy(state)  # fixed: probs = policy(state.unsqueeze(0))
