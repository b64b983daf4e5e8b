import torch

history = torch.empty(0)
for step in range(3):
    history = torch.cat([history, torch.ones(2)])
memory = torch.tensor([])
memory = torch.cat((memory, torch.zeros(3, 4)))
