import torch
from torch import nn

STEPS = 60
BATCH = 256
ACTIONS = 6

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, ACTIONS))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
states = torch.randn(STEPS, BATCH, 8)
actions = torch.randint(ACTIONS, (STEPS, BATCH))
rewards = torch.randn(STEPS, BATCH)
losses = []
for step in range(STEPS):
    values = policy(states[step])
    chosen = values.gather(1, actions[step].unsqueeze(1)).squeeze(1)
    loss = nn.functional.smooth_l1_loss(chosen, rewards[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
