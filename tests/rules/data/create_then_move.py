import numpy as np
import torch
import torch as th
from torch import zeros

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def once(n):
    return torch.zeros(n, n).cuda()  # hint: DP401


def many(numbers, args):
    for n in numbers:
        fires(n, args)


def fires(n, args):
    a = torch.zeros(n, n).cuda()  # expect: DP401
    b = th.arange(n).to(device)  # expect: DP401
    c = zeros((n, 3)).to("cuda:0")  # expect: DP401
    d = torch.full((n,), 0.5, dtype=torch.float32).to(args.device)  # expect: DP401
    f = torch.eye(n).cuda(1)  # expect: DP401
    return a, b, c, d, f


def silent(n, x, kwargs, other, generator):
    r = torch.randn(n, generator=generator).to(device)
    a = torch.zeros(n, device=device)
    b = torch.zeros(n).to(torch.float16)
    c = torch.zeros(n).to(x)
    d = torch.from_numpy(np.zeros(n)).cuda()
    e = torch.zeros(n, **kwargs).cuda()
    f = torch.zeros(n).to("cpu")
    g = torch.zeros(n)
    h = g.cuda()  # hint: DP401
    i = np.zeros(n).to(device)
    j = torch.zeros(n).to(device, torch.float16)  # hint: DP401
    k = other.zeros(n).cuda()
    m = torch.zeros(n, pin_memory=True).cuda()
    e2 = torch.tensor([1.0, 2.0]).cuda()
    return a, b, c, d, e, e2, f, h, i, j, k, m
