import torch
import torch.nn.functional as F


def untyped(G, D, loader, og, od):
    for real in loader:
        fake = G(torch.randn(len(real), 64))
        d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake)).mean()  # expect: DP228
        od.zero_grad()
        d_loss.backward(retain_graph=True)
        od.step()
        g_loss = F.softplus(-D(fake)).mean()
        og.zero_grad()
        g_loss.backward()
        og.step()


class Gan:
    def __init__(self, generator: torch.nn.Module, critic: torch.nn.Module):
        self.generator, self.critic = generator, critic
        self.first = torch.optim.Adam(critic.parameters())
        self.second = torch.optim.Adam(generator.parameters())

    def step(self, real, noise):
        fake = self.generator(noise)
        scores = self.critic(fake)  # expect: DP228
        loss = scores.mean() - self.critic(real).mean()
        self.first.zero_grad()
        loss.backward(retain_graph=True)
        self.first.step()
        self.second.zero_grad()
        (-self.critic(fake)).mean().backward()
        self.second.step()


# ---- Silent


def detached(G, D, loader, og, od):
    for real in loader:
        fake = G(torch.randn(len(real), 64))
        d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
        od.zero_grad()
        d_loss.backward()
        od.step()
        og.zero_grad()
        F.softplus(-D(fake)).mean().backward()
        og.step()


def both_losses(encoder, decoder, x, optimizer):
    z = encoder(x)
    first = decoder(z).mean()
    first.backward(retain_graph=True)
    second = z.pow(2).mean()
    second.backward()
    optimizer.step()


def one_optimizer(encoder: torch.nn.Module, decoder: torch.nn.Module, x):
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
    z = encoder(x)
    first = decoder(z).mean()
    first.backward(retain_graph=True)
    optimizer.step()
    second = decoder(z).pow(2).mean()
    second.backward()
    optimizer.step()


def moved(G, D, loader, device):
    first = torch.optim.Adam(D.parameters())
    second = torch.optim.Adam(G.parameters())
    for real in loader:
        real = real.to(device)
        fake = G(torch.randn(len(real), 64, device=device))
        loss = (D(fake) - D(real)).mean()  # expect: DP228
        first.zero_grad()
        loss.backward(retain_graph=True)
        first.step()
        second.zero_grad()
        (-D(fake)).mean().backward()
        second.step()
