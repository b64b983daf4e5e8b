import itertools

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_
from torchvision import models


def counted(model: nn.Module):
    params = filter(lambda p: p.requires_grad, model.parameters())
    print(sum(p.numel() for p in params))
    return torch.optim.Adam(params, lr=1e-3)  # expect: DP924


def clipped(model: nn.Module, loader):
    params = model.parameters()
    optimizer = torch.optim.SGD(params, lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        clip_grad_norm_(params, 1.0)  # expect: DP924
        optimizer.step()


def chained(encoder: nn.Module, decoder: nn.Module):
    params = itertools.chain(encoder.parameters(), decoder.parameters())
    for p in params:
        nn.init.normal_(p)
    return torch.optim.AdamW(params, lr=1e-3)  # expect: DP924


def added(encoder: nn.Module, decoder: nn.Module):
    return torch.optim.Adam(encoder.parameters() + decoder.parameters(), lr=1e-3)  # expect: DP924


def overlapping():
    net = models.resnet18(weights="DEFAULT")
    groups = [{"params": net.parameters()}, {"params": net.fc.parameters(), "lr": 0.1}]
    return torch.optim.SGD(groups, lr=0.01)  # expect: DP924


# ---- Right


def as_list(model: nn.Module, loader):
    params = list(model.parameters())
    print(sum(p.numel() for p in params))
    optimizer = torch.optim.SGD(params, lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        clip_grad_norm_(params, 1.0)
        optimizer.step()
    return optimizer


def used_once(model: nn.Module):
    params = filter(lambda p: p.requires_grad, model.parameters())
    return torch.optim.Adam(params, lr=1e-3)


def lists_added(encoder: nn.Module, decoder: nn.Module):
    return torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=1e-3)


def apart():
    net = models.resnet18(weights="DEFAULT")
    groups = [{"params": net.layer4.parameters()}, {"params": net.fc.parameters(), "lr": 0.1}]
    return torch.optim.SGD(groups, lr=0.01)


def one_of_several(model: nn.Module, how, limit, clip_by_ratio):
    parameters = model.parameters()
    if how == "ratio":
        clip_by_ratio(parameters, limit)
    elif how == "norm":
        clip_grad_norm_(parameters, limit)
    else:
        nn.utils.clip_grad_value_(parameters, limit)


def before_both(model: nn.Module, how, limit):
    parameters = model.parameters()
    print(len(list(parameters)))
    if how == "norm":
        clip_grad_norm_(parameters, limit)  # expect: DP924
