import torch


def fires(a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor, n):
    c = (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(dim=-1)  # expect: DP168
    d = ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)  # expect: DP168
    e = torch.norm(a[:, None] - b[None], dim=-1)  # expect: DP168
    f = a.unsqueeze(1).repeat(1, n, 1) * mask  # expect: DP168
    wide = a.unsqueeze(1).repeat(1, n, 1)  # expect: DP168
    return c, d, e, f, wide + mask


def silent(a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor, n):
    c = (a - b).pow(2).sum(dim=-1)
    d = (a.unsqueeze(1) - b.unsqueeze(1)).pow(2).sum(-1)
    e = a.repeat(n, 1) * mask
    f = 1.0 - mask[:, None].repeat(1, n, 1)
    wide = a.unsqueeze(1).repeat(1, n, 1)
    g = torch.cat([wide, b], dim=-1)
    h = (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum()
    return c, d, e, f, g, h, a.unsqueeze(1).repeat(2, n, 1) * mask
