import torch
from torch import nn

NODES = 1200
FEATURES = 32
EPOCHS = 3

torch.manual_seed(0)
degree = torch.randint(1, 20, (NODES,)).float()
x = torch.randn(NODES, FEATURES)
adjacency = torch.rand(NODES, 1) * torch.rand(1, NODES)
scale = degree.rsqrt()
normalized = torch.diag(scale) @ adjacency @ torch.diag(scale)
weight = nn.Linear(FEATURES, FEATURES)
with torch.no_grad():
    for epoch in range(EPOCHS):
        x = torch.tanh(weight(normalized @ x / NODES))

result = x.mean(dim=0).tolist()
