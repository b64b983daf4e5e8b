import torch


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotary(x, base=10000):
    b, h, t, d = x.shape
    inv = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
    freqs = torch.einsum("i,j->ij", torch.arange(t).float(), inv)
    emb = torch.cat((freqs, freqs), dim=-1)
    return x * emb.cos()[None, None] + rotate_half(x) * emb.sin()[None, None]


assert rotary(torch.rand(2, 3, 5, 8)).shape == (2, 3, 5, 8)
