# What only the tests of a file call, and what makes a single number.
import torch


def kernel(x: torch.Tensor, n):
    mask = torch.ones(n, n).to(x.device)  # expect: DP401
    return x * mask


def reference(x: torch.Tensor, n):
    mask = torch.ones(n, n).to(x.device)  # hint: DP401
    return x * mask


def inner(x: torch.Tensor, n):
    return x + torch.arange(n).to(x.device)  # hint: DP401


def outer(x: torch.Tensor, n):
    return inner(x, n)


def test():
    for n in range(100, 200):
        x = torch.randn(n, n).cuda()  # hint: DP401
        assert torch.allclose(kernel(x, n), reference(x, n))
        assert torch.allclose(outer(x, n), x)


# An evaluation may be called so as well.
def evaluate(model, loader):
    def test():
        hits = 0
        for x, y in loader:
            noise = torch.zeros(x.shape[0], 10).cuda()  # expect: DP401
            hits += (model(x) + noise).argmax(1).eq(y).sum()  # hint: DP232
        return hits

    return test()


def at_time(x: torch.Tensor):
    t = torch.ones((1,)).to(x.device)  # hint: DP401
    s = torch.zeros(1, 1).to(x.device)  # hint: DP401
    u = torch.tensor(0.5).to(x.device)
    w = torch.ones((1, 2)).to(x.device)  # expect: DP401
    return x * t * s * u * w.sum()


def sampled(model, batches):
    for x in batches:
        kernel(at_time(x), 3)
        n = torch.ones((1,)).to(x.device)  # expect: DP401
        model(x * n)
