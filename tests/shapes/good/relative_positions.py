import torch
from torch import nn


class RelativeBias(nn.Module):
    def __init__(self, window, heads):
        super().__init__()
        self.table = nn.Parameter(torch.zeros((2 * window[0] - 1) * (2 * window[1] - 1), heads))
        coords = torch.stack(torch.meshgrid(torch.arange(window[0]), torch.arange(window[1]), indexing="ij"))
        flat = torch.flatten(coords, 1)
        rel = (flat[:, :, None] - flat[:, None, :]).permute(1, 2, 0).contiguous()
        rel[:, :, 0] += window[0] - 1
        rel[:, :, 1] += window[1] - 1
        rel[:, :, 0] *= 2 * window[1] - 1
        self.register_buffer("index", rel.sum(-1))
        self.window = window

    def forward(self, attn):
        n = self.window[0] * self.window[1]
        bias = self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1)
        return attn + bias.unsqueeze(0)


RelativeBias((3, 5), 4)(torch.zeros(2, 4, 15, 15))
