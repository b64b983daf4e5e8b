import torch.nn as nn


def make():
    return nn.Linear(4, 2).cuda()


def place(x):
    return x.cuda()
