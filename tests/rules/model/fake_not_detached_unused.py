# The generator's gradients are computed in a step of the discriminator, and cleared before anybody reads them.
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, gen: nn.Module, disc: nn.Module):
        self.gen, self.disc = gen, disc
        self.opt_g = torch.optim.Adam(self.gen.parameters())
        self.opt_d = torch.optim.Adam(self.disc.parameters())

    def loss(self, real, fake):
        return F.relu(1 - real).mean() + F.relu(1 + fake).mean()

    def draw(self, n):
        return self.gen(torch.randn(n, 16))

    @torch.no_grad()
    def draw_only(self, n):
        return self.gen(torch.randn(n, 16))

    def critic_step(self, real):
        fake = self.draw(len(real))
        loss = self.loss(self.disc(real), self.disc(fake))  # expect: DP228
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()

    def critic_step_at_once(self, real, z):
        scores = self.disc(self.gen(z).clamp(-1, 1))  # expect: DP228
        self.opt_d.zero_grad()
        (scores.mean() - self.disc(real).mean()).backward()
        self.opt_d.step()

    def generator_step(self, n):
        loss = -self.disc(self.draw(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()

    # ---- Silent

    def under_no_grad(self, real):
        with torch.no_grad():
            fake = self.draw(len(real))
        loss = self.loss(self.disc(real), self.disc(fake))
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()

    def drawn_without_graph(self, real):
        fake = self.draw_only(len(real))
        loss = self.loss(self.disc(real), self.disc(fake))
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()

    def detached(self, real):
        fake = self.draw(len(real)).detach()  # hint: DP232
        loss = self.loss(self.disc(real), self.disc(fake))
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()

    def both(self, real):
        loss = self.loss(self.disc(real), self.disc(self.draw(len(real))))
        self.opt_g.zero_grad()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        self.opt_g.step()


def in_one_loop(G: nn.Module, D: nn.Module, loader):
    g_optimizer = torch.optim.Adam(G.parameters())
    d_optimizer = torch.optim.Adam(D.parameters())
    for real in loader:
        z = torch.randn(len(real), 16)
        fake = G(z)
        d_loss = D(fake).mean() - D(real).mean()  # expect: DP228
        d_optimizer.zero_grad()
        d_loss.backward()
        d_optimizer.step()
        g_optimizer.zero_grad()
        (-D(G(z)).mean()).backward()
        g_optimizer.step()


def summed(G: nn.Module, D: nn.Module, loader):
    g_optimizer = torch.optim.Adam(G.parameters())
    d_optimizer = torch.optim.Adam(D.parameters())
    for real in loader:
        g_optimizer.zero_grad()
        d_optimizer.zero_grad()
        (D(G(real)).mean() - D(real).mean()).backward()
        d_optimizer.step()
        g_optimizer.step()


def switched_off(G: nn.Module, D: nn.Module, loader):
    g_optimizer = torch.optim.Adam(G.parameters())
    d_optimizer = torch.optim.Adam(D.parameters())
    for real in loader:
        G.requires_grad_(False)
        loss = D(G(real)).mean() - D(real).mean()
        d_optimizer.zero_grad()
        loss.backward()
        d_optimizer.step()
        G.requires_grad_(True)
        g_optimizer.zero_grad()
        (-D(G(real)).mean()).backward()
        g_optimizer.step()


def jointly(encoder: nn.Module, decoder: nn.Module, loader):
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
    for x in loader:
        loss = F.mse_loss(decoder(encoder(x)), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
