# torch 1.13: UserWarning: Using a target size (torch.Size([12])) that is different to the input size (torch.Size([12, 1])). This will likely lead to incorrect results due to broadcasting. Please ensure they have t
# wrong without an error: the values of a critic against returns without the last dimension
import torch
import torch.nn.functional as F
from torch import nn

value_net = nn.Linear(8, 1)
states = torch.randn(12, 8)
returns = torch.randn(12)
value_loss = F.smooth_l1_loss(value_net(states), returns)  # expect: DP606  # fixed: value_loss = F.smooth_l1_loss(value_net(states), returns.unsqueeze(1))
