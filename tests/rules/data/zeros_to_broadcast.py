import torch


def coefficients(table: torch.Tensor, t: torch.Tensor, shape):
    full = table[t][:, None, None, None] + torch.zeros(shape, device=t.device)  # hint: DP443
    same = torch.zeros_like(full) + table[t]  # hint: DP443
    wide = table[t] * torch.ones(shape, device=t.device)  # hint: DP443
    fine = table[t].expand(shape)
    masked = table[t] * torch.zeros(shape, device=t.device)
    start = torch.zeros(shape, device=t.device) + 1.0
    return full, same, wide, fine, masked, start
