import torch
import torch.nn as nn
from torch.nn import DataParallel


def fires(net):
    a = nn.DataParallel(net)  # expect: DP240
    b = DataParallel(net.cuda(), device_ids=[0, 1])  # expect: DP240
    c = torch.nn.parallel.DataParallel(module=net)  # expect: DP240
    return a, b, c


def silent(net, other):
    if isinstance(net, nn.DataParallel):
        net = net.module
    kinds = (nn.DataParallel, DataParallel)
    return other.DataParallel(net), kinds


def unwrapped_at_once(model):
    model = torch.nn.DataParallel(model)
    model = model.module
    return model


def unwrapped_after_use(model, x):
    model = torch.nn.DataParallel(model)  # expect: DP240
    y = model(x)
    model = model.module
    return y, model
