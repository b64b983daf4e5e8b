import torch
from torch import nn


class Adversarial:
    def __init__(self, device):
        self.device = device
        self.g = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 784)).to(device)
        self.d = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1)).to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=2e-4)
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=2e-4)
        self.bce = nn.BCEWithLogitsLoss()

    def sample(self, n):
        return self.g(torch.randn(n, 64, device=self.device))

    def d_loss(self, real, fake):
        a, b = self.d(real), self.d(fake)
        return self.bce(a, torch.ones_like(a)) + self.bce(b, torch.zeros_like(b))

    def d_loss_detached(self, real, fake):
        a, b = self.d(real), self.d(fake.detach())
        return self.bce(a, torch.ones_like(a)) + self.bce(b, torch.zeros_like(b))

    def g_loss(self, fake):
        out = self.d(fake)
        return self.bce(out, torch.ones_like(out))

    def step(self, real):
        fake = self.sample(real.size(0))
        self.opt_d.zero_grad(set_to_none=True)
        self.d_loss(real, fake).backward(retain_graph=True)  # expect: DP228
        self.opt_d.step()
        self.opt_g.zero_grad(set_to_none=True)
        self.g_loss(fake).backward()
        self.opt_g.step()

    def step_right(self, real):
        fake = self.sample(real.size(0))
        self.opt_d.zero_grad(set_to_none=True)
        self.d_loss(real, fake.detach()).backward()
        self.opt_d.step()
        self.opt_g.zero_grad(set_to_none=True)
        self.g_loss(fake).backward()
        self.opt_g.step()

    def step_inside(self, real):
        fake = self.sample(real.size(0))
        self.opt_d.zero_grad(set_to_none=True)
        self.d_loss_detached(real, fake).backward()
        self.opt_d.step()
        self.opt_g.zero_grad(set_to_none=True)
        self.g_loss(fake).backward()
        self.opt_g.step()
