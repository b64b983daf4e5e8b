import torch
from torch import nn

BATCH = 64
INPUTS = 32
CODE = 16
STEPS = 5
WEIGHT = 0.1

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(INPUTS, 64), nn.Tanh(), nn.Linear(64, CODE), nn.Tanh())
decoder = nn.Linear(CODE, INPUTS)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.05)
data = torch.randn(STEPS, BATCH, INPUTS)


def contraction(x):
    x = x.clone().requires_grad_()
    code = encoder(x)
    rows = [torch.autograd.grad(code[:, k].sum(), x, create_graph=True)[0] for k in range(CODE)]
    return torch.stack(rows).pow(2).sum() / len(x)


losses = []
for x in data:
    loss = nn.functional.mse_loss(decoder(encoder(x)), x) + WEIGHT * contraction(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
