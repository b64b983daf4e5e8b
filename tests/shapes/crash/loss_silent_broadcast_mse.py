# torch 1.13: UserWarning: Using a target size (torch.Size([50])) that is different to the input size (torch.Size([50, 1])). This will likely lead to incorrect results due to broadcasting. Please ensure they have t
# wrong without an error: every prediction is compared with every target
import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
X = torch.randn(50, 5)
y = torch.randn(50)
loss = nn.MSELoss()(model(X), y)  # expect: DP606  # fixed: loss = nn.MSELoss()(model(X).squeeze(-1), y)
loss.backward()
