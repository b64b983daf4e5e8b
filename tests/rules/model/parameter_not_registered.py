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


class Calibrated(nn.Module):
    """Trained by an optimizer of its own, which is given the tensor itself."""

    def __init__(self):
        super().__init__()
        self.temperature = torch.ones(1, requires_grad=True)
        self.offset = nn.Parameter(torch.zeros(1), requires_grad=False).cuda()  # hint: DP401
        self.mask = nn.parameter.Parameter(torch.zeros(4), requires_grad=True)

    def calibrate(self, logits, labels):
        optimizer = torch.optim.LBFGS([self.temperature], lr=0.01)

        def closure():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(logits / self.temperature + self.offset, labels)
            loss.backward()
            return loss

        optimizer.step(closure)


class MovedAgain(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.parameter.Parameter(torch.ones(4)).cuda()  # expect: DP227  # hint: DP401

    def forward(self, x):
        return x * self.factor


# A conversion to the type that it has gives the parameter itself.
class KeptInFloat32(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept_scale = nn.Parameter(torch.ones(4, dtype=torch.float32)).to(torch.float32)
        self.kept_shift = nn.Parameter(torch.ones(4, dtype=torch.float32)).to(torch.float16)  # expect: DP227

    def forward(self, x):
        return x * self.kept_scale + self.kept_shift
