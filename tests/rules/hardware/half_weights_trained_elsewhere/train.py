import torch
from block import Block

model = Block(64)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(100):
    optimizer.zero_grad()
    model(torch.randn(8, 64)).pow(2).mean().backward()
    optimizer.step()
