import torch
import torch.nn as nn


class Moved(nn.Module):
    def __init__(self, d, device):
        super().__init__()
        self.a = nn.Parameter(torch.randn(d)).cuda()  # expect: DP227  # hint: DP401
        self.b = nn.Parameter(torch.randn(d)).to(device)  # expect: DP227  # hint: DP401
        self.c = nn.Parameter(torch.randn(d)) * 0.02  # expect: DP227
        self.d = nn.Parameter(torch.zeros(1, d)).repeat(4, 1)  # expect: DP227
        self.e = nn.Parameter(torch.randn(d)).float().to(device)  # expect: DP227  # hint: DP401

    def forward(self, x):
        return x * self.a + self.b + self.c + self.d + self.e


class Plain(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = torch.ones(d, requires_grad=True)  # expect: DP227
        self.shift = torch.autograd.Variable(torch.zeros(d), requires_grad=True)  # expect: DP227  # hint: DP302

    def forward(self, x):
        return x * self.gain + self.shift


class Right(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a = nn.Parameter(torch.randn(d))
        self.b = nn.Parameter(torch.randn(d) * 0.02)
        self.c = nn.Parameter(torch.randn(d)).requires_grad_(False)
        self.d = nn.Parameter(torch.randn(d)).float()  # float32 already: the parameter itself
        self.register_buffer("mean", torch.zeros(d))

    def forward(self, x):
        return x * self.a + self.b + self.c + self.d


class Given(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.delta = torch.zeros(d, requires_grad=True)

    def forward(self, x):
        return x + self.delta


def attack(d):
    module = Given(d)
    return torch.optim.Adam([module.delta], lr=0.1)


class NotAModule:
    def __init__(self, d):
        self.x = torch.zeros(d, requires_grad=True)
