import torch
from torch import nn

NODES = 400
FEATURES = 16
EPOCHS = 40

torch.manual_seed(0)
adjacency = (torch.rand(NODES, NODES) < 0.02).float()
adjacency = torch.maximum(adjacency, adjacency.t()) + torch.eye(NODES)
features = torch.randn(NODES, FEATURES)
labels = torch.randint(4, (NODES,))
model = nn.Linear(FEATURES, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(EPOCHS):
    two_hops = torch.matmul(adjacency, adjacency)
    scale = two_hops.sum(dim=1).clamp(min=1)
    logits = (two_hops / scale.unsqueeze(1)) @ model(features)
    loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
