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


def make_penalty(weight):
    def of(network, x):
        x.requires_grad_(True)
        score = network(x)
        (gradient,) = autograd.grad(score.sum(), x, retain_graph=True)  # expect: DP870
        return weight * gradient.square().sum(dim=1).mean()

    return of


def with_made_penalty(real):
    penalty_of = make_penalty(10.0)
    term: torch.Tensor = penalty_of(critic, real)
    optimizer.zero_grad()
    (critic(real).mean() + term).backward()
    optimizer.step()


def update(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def through_helper(real):
    score = critic(real).sum()
    gradient = autograd.grad(score, real)[0]  # expect: DP870
    terms = [score, gradient.norm()]
    update(sum([score, gradient.norm()]))
    return terms


def log(value):
    print(value.mean())
    return value.mean()


def logged_by_helper(real):
    score = critic(real).sum()
    gradient = autograd.grad(score, real)[0]
    log(gradient)
    loss = log(score)
    loss.backward()
    optimizer.step()


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(x)

    def loss(self, x, y):
        return nn.functional.mse_loss(self.out(x), y)


network = Network()


def attack_on_class(x, y):
    (gradient,) = autograd.grad(network.loss(x, y), x)
    moved = x + 0.1 * gradient.sign()
    loss = network.loss(moved, y) + nn.functional.mse_loss(network(moved), y)
    update(loss)


def moved_by(x, gradient, size):
    return (x + size * gradient.sign()).clamp(0, 1)


def attack_with_helper(x, y):
    (gradient,) = autograd.grad(nn.functional.mse_loss(critic(x), y), x)
    moved = moved_by(x, gradient, 0.1)
    update(nn.functional.mse_loss(critic(moved), y))
