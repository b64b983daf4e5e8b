import torch
import torch.nn as nn


def export(out):
    net = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.2))
    torch.jit.trace(net, torch.zeros(1, 3, 32, 32)).save(out)  # expect: DP813


def plain(out):
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
    torch.jit.trace(net, torch.zeros(1, 3, 32, 32)).save(out)


def unknown(net, out):
    torch.jit.trace(net, torch.zeros(1, 3, 32, 32)).save(out)


def right(out):
    net = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.2))
    net.eval()
    torch.jit.trace(net, torch.zeros(1, 3, 32, 32)).save(out)
