import torch
from torch import nn

D = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 1))
real, fake = torch.randn(4, 3, 8, 8), torch.randn(4, 3, 8, 8)
eps = torch.rand(real.size(0), 1, 1, 1)
mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
score = D(mixed)
grad = torch.autograd.grad(score, mixed, torch.ones_like(score), create_graph=True)[0]
gp = ((grad.view(grad.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()
gp.backward()
