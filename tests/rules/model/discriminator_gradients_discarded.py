import torch
from torch import nn


def gan(netG: nn.Module, netD: nn.Module, loader, criterion, optG: torch.optim.Optimizer, optD: torch.optim.Optimizer):
    for real, noise in loader:
        fake = netG(noise)
        optD.zero_grad()
        loss_d = criterion(netD(real), 1) + criterion(netD(fake.detach()), 0)
        loss_d.backward()
        optD.step()
        optG.zero_grad()
        loss_g = criterion(netD(fake), 1)
        loss_g.backward()  # expect: DP263
        optG.step()


def generator_first(G: nn.Module, D: nn.Module, loader, loss, optG: torch.optim.Optimizer, optD: torch.optim.Optimizer):
    for real, z in loader:
        optG.zero_grad()
        made = G(z)
        g_loss = loss(D(made), 1)
        g_loss.backward()  # expect: DP263
        optG.step()
        optD.zero_grad()
        d_loss = (loss(D(real), 1) + loss(D(made.detach()), 0)) / 2
        d_loss.backward()
        optD.step()


def one_optimizer(netG: nn.Module, netD: nn.Module, loader, criterion, opt: torch.optim.Optimizer):
    for noise in loader:
        fake = netG(noise)
        opt.zero_grad()
        (criterion(netD(fake), 1) + criterion(netD(fake.detach()), 0)).backward()
        opt.step()
