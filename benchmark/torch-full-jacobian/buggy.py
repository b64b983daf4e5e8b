import torch
from torch import nn
from torch.autograd.functional import jacobian

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
    whole = jacobian(encoder, x, create_graph=True)
    own = torch.diagonal(whole, dim1=0, dim2=2)
    return own.pow(2).sum() / len(x)


losses = []
for x in data:
    loss = nn.functional.mse_loss(decoder(encoder(x)), x) + WEIGHT * contraction(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
