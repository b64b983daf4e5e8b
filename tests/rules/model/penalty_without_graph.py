import torch
from torch import autograd, nn

critic = nn.Linear(8, 1)
optimizer = torch.optim.Adam(critic.parameters())


def penalty(network, x):
    x = x.requires_grad_(True)
    score = network(x)
    gradients = autograd.grad(outputs=score, inputs=x, grad_outputs=torch.ones_like(score))[0]  # expect: DP870
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def step(real, fake):
    loss = critic(fake).mean() - critic(real).mean()
    loss += 10 * penalty(critic, real)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def in_place(real):
    real.requires_grad = True
    score = critic(real).sum()
    (gradient,) = autograd.grad(score, real, create_graph=True)
    (score + gradient.pow(2).sum()).backward()


def r1(real):
    score = critic(real).sum()
    gradient = torch.autograd.grad(score, [real], create_graph=False)[0]  # expect: DP870
    loss = score + 5 * gradient.pow(2).sum()
    loss.backward()
    optimizer.step()


def logged(real):
    score = critic(real).sum()
    gradient = autograd.grad(score, real)[0]
    print(gradient.norm())
    score.backward()


def attack(x, y):
    gradient = autograd.grad(nn.functional.mse_loss(critic(x), y), x)[0]
    moved = x + 0.1 * gradient / gradient.norm()
    loss = nn.functional.mse_loss(critic(moved), y)
    loss.backward()
    optimizer.step()


def first_order(x, y, weights):
    gradients = autograd.grad(nn.functional.mse_loss(critic(x), y), weights)
    fast = [weight - 0.1 * gradient for weight, gradient in zip(weights, gradients)]
    loss = nn.functional.mse_loss(nn.functional.linear(x, fast[0]), y)
    loss.backward()
    optimizer.step()
